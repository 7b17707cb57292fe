import type { AttemptStore, Logger, LogLevel } from '@longshore/core';
import type { Checkpoint, ToolLog } from '@longshore/plugin';
import { createClock, createFiles, createQuestions } from '@longshore/plugin/host';
import { presentTrace } from '@longshore/tracing';
import { AttemptBatches, type BatchServices } from '../batch/attempt-batches.ts';
import type { AttemptFiles } from '../files/attempt-files.ts';
import type { AttemptInputs } from '../inputs/attempt-inputs.ts';
import { toJsonValue } from '../json/to-json-value.ts';
import { clipText, wellFormed } from '../json/well-formed.ts';
import type { LoadedTool } from '../plugins/offers.ts';
import type { AttemptContext } from '../requests/request-handler.ts';
import { retryUntilAborted } from '../run/store-call.ts';
import type { Attempt } from './attempt.ts';
import { OnDemand } from './on-demand.ts';

/** UTF-16 units of a tool's log message that are kept. */
const LOG_MESSAGE_LIMIT = 8_000;

/** UTF-16 units of a checkpoint's key. */
const KEY_LIMIT = 256;

export interface ToolContextOptions {
  readonly attempts: AttemptStore;
  /** Of the worker. */
  readonly log: Logger;
  /** Fields of every log line about this attempt. */
  readonly logFields: object;
  readonly inputs: OnDemand<AttemptInputs>;
  readonly files: AttemptFiles;
  /** Tells whoever subscribed that a resource changed; what it is called with may be anything. */
  readonly resourceUpdated: (uri: unknown) => void;
  readonly batchServices: BatchServices;
  /** What the attempt runs; null: no tool. */
  readonly tool: LoadedTool | null;
}

export interface OpenedContext {
  readonly context: AttemptContext;
  /** To be closed when the tool has ended. */
  readonly batches: OnDemand<AttemptBatches>;
}

/** What a tool sees of the attempt it runs in. */
export function createToolContext(attempt: Attempt, options: ToolContextOptions): OpenedContext {
  const { claim, reporter } = attempt;
  const { elicitation, sampling, samplingTools, roots, jobAnswers } = claim.abilities;
  const log = toolLog(attempt, options);
  const { inputs, tool, batchServices: services } = options;
  const batches = new OnDemand(
    () => new AttemptBatches({ attempt, services, tool, inputs: inputs.get(), log }),
    (made) => void made.close(),
  );
  const own = new OnDemand(
    () => batches.get().abilities(''),
    () => {},
  );
  const context: AttemptContext = {
    get map() {
      return own.get().map;
    },
    get call() {
      return own.get().call;
    },
    batches: (scope) => batches.get().abilities(scope),
    fence: claim,
    formsReachUser: jobAnswers,
    get signal() {
      return attempt.signal;
    },
    get trace() {
      return presentTrace();
    },
    taskId: claim.taskId,
    attempt: claim.attempt,
    principal: claim.principalId,
    deadline: claim.deadline,
    log,
    checkpoint: toolCheckpoint(attempt, options.attempts),
    progress: (done, total, message) => reporter.progress(done, total, message),
    statusMessage: (text) => reporter.statusMessage(text),
    resourceUpdated: (uri) => options.resourceUpdated(uri),
    // Last: a literal that goes on after a spread is built ten times as slowly, property by property.
    ...createQuestions({
      client: { elicitation, sampling, samplingTools, roots },
      formsReachUser: jobAnswers,
      ask: (question, timeoutMs) => inputs.get().ask(question, timeoutMs),
    }),
    ...createFiles({ taskId: claim.taskId, open: (facts) => options.files.open(facts) }),
    ...createClock(attempt),
  };
  return { context, batches };
}

function toolLog({ logs }: Attempt, { log, logFields }: ToolContextOptions): ToolLog {
  const write =
    (level: LogLevel, own: keyof Logger) =>
    (message: string, fields: object = {}): void => {
      const text = clipText(wellFormed(String(message)), LOG_MESSAGE_LIMIT);
      // Under a key of their own: a tool must not be able to speak as another task.
      log[own]({ ...logFields, fields }, text);
      logs.write(level, text, fields);
    };
  return {
    debug: write('debug', 'debug'),
    info: write('info', 'info'),
    notice: write('notice', 'info'),
    warning: write('warning', 'warn'),
    error: write('error', 'error'),
    critical: write('critical', 'error'),
    alert: write('alert', 'error'),
    emergency: write('emergency', 'error'),
  };
}

/**
 * Neither call fails because the database is away for a moment: a tool would fail with it, and its attempt is
 * not to blame. A value whose answer was lost on the way is set once more, to the same.
 */
function toolCheckpoint(attempt: Attempt, attempts: AttemptStore): Checkpoint {
  const { taskId, attempt: number } = attempt.claim;
  return {
    get: async (key) => {
      const name = checkpointKey(key);
      return retryUntilAborted('reading a checkpoint', attempt.signal, () =>
        attempts.getCheckpoint(taskId, name),
      );
    },
    set: async (key, value) => {
      const name = checkpointKey(key);
      const json = toJsonValue(value);
      const isSaved = await retryUntilAborted('saving a checkpoint', attempt.signal, () =>
        attempts.setCheckpoint(attempt.claim, name, json),
      );
      if (isSaved) return;
      attempt.abort('lost');
      throw new Error(`attempt ${number} is not the current one: the checkpoint was not saved`);
    },
  };
}

function checkpointKey(key: string): string {
  if (typeof key !== 'string' || key === '' || key.length > KEY_LIMIT || key.includes('\0')) {
    throw new TypeError(
      `a checkpoint's key is a text of 1 to ${KEY_LIMIT} characters, none of them NUL`,
    );
  }
  return wellFormed(key);
}
