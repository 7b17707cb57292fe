import type {
  AnnouncedTool,
  BatchStore,
  EventBus,
  JsonObject,
  JsonValue,
  NewChild,
  TaskId,
} from '@longshore/core';
import { ToolError } from '@longshore/plugin';
import { presentStored } from '@longshore/tracing';
import type { RunningAttempt } from '../run/running-attempt.ts';
import { retryUntilAborted } from '../run/store-call.ts';
import { toolLimit } from './batch-target.ts';
import type { ChildQuestions } from './child-questions.ts';
import type { ChildWaits } from './child-waits.ts';
import { derivedId } from './derived-id.ts';
import { SignalGate } from './signal-gate.ts';
import { toolValue } from './tool-value.ts';

export interface ChildCallOptions {
  readonly attempt: RunningAttempt;
  readonly signal: AbortSignal;
  readonly store: BatchStore;
  readonly waits: ChildWaits;
  readonly bus: EventBus;
  readonly poke: () => void;
  readonly key: string;
  readonly tool: AnnouncedTool;
  readonly arguments: JsonObject;
  readonly questions: (child: TaskId) => ChildQuestions;
}

/**
 * Starts a tool as a task of its own, or finds the one an earlier attempt started, and waits for its end.
 * The attempt has no seat meanwhile.
 *
 * @throws {ToolError} with the text of a result that is an error; the signal's reason
 */
export async function callChild(options: ChildCallOptions): Promise<JsonValue> {
  const { attempt, signal, store, tool, key } = options;
  const { taskId } = attempt.claim;
  const child: NewChild = {
    id: derivedId('call', taskId, key, tool.name, JSON.stringify(options.arguments)) as TaskId,
    toolName: tool.name,
    arguments: options.arguments,
    queue: tool.policy.queue,
    maxAttempts: tool.policy.maxAttempts,
    timeoutMs: tool.policy.timeoutMs,
    toolLimit: toolLimit(tool, attempt.claim.toolName),
    traceContext: presentStored(),
  };
  const started = await retryUntilAborted('starting a task', signal, () =>
    store.startChild(attempt.claim, child),
  );
  if (!started) {
    attempt.abort('lost');
    attempt.signal.throwIfAborted();
    throw new Error(`attempt ${attempt.claim.attempt} is not the current one: nothing was started`);
  }
  options.poke();
  return outcomeOf(child, options);
}

async function outcomeOf(child: NewChild, options: ChildCallOptions): Promise<JsonValue> {
  const { attempt, signal, store, waits } = options;
  const changed = new SignalGate();
  const forget = await waits.listen(() => changed.open());
  let endWait: (() => Promise<void>) | null = null;
  const questions = options.questions(child.id);
  try {
    for (;;) {
      const outcome = await retryUntilAborted('reading an outcome', signal, () =>
        store.childOutcome(attempt.claim.taskId, child.id),
      );
      await questions.look();
      if (outcome?.kind === 'cancelled')
        throw new ToolError(`The call of ${child.toolName} was cancelled.`);
      if (outcome !== null) return toolValue(outcome);
      endWait ??= attempt.wait('tasks');
      await changed.wait(signal);
    }
  } finally {
    await endWait?.();
    forget();
  }
}
