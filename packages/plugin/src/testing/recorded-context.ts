import type { ClientAbilities } from '../questions/client-questions.ts';
import { createQuestions } from '../questions/create-questions.ts';
import { createFiles } from '../task-files/create-files.ts';
import type { FileSink } from '../task-files/tool-file.ts';
import type { Tool } from '../tool.ts';
import { createClock, type TimeSource } from '../tool-clock.ts';
import type { ToolContext, ToolTrace } from '../tool-context.ts';
import type { Json } from '../values/json.ts';
import type { ToolLogLevel } from '../values/tool-log.ts';
import { memoryBatches } from './memory-batches.ts';
import { type RecordedQuestion, type ScriptedAnswers, scriptedClient } from './scripted-client.ts';

export interface RecordedProgress {
  readonly done: number;
  readonly total: number | null;
  readonly message: string | null;
}

export interface RecordedLog {
  readonly level: ToolLogLevel;
  readonly message: string;
  readonly fields: Readonly<Record<string, Json>>;
}

/** What a run did beside returning, in order. */
export interface Recording {
  /** Every call, also those a server would drop because they come too fast or do not grow. */
  readonly progress: readonly RecordedProgress[];
  readonly statusMessages: readonly string[];
  readonly logs: readonly RecordedLog[];
  /** What it asked the client, also when it asked again. */
  readonly questions: readonly RecordedQuestion[];
  /** Files it finished, by name. */
  readonly files: ReadonlyMap<string, RecordedFile>;
  /** URIs of the resources it called changed. */
  readonly resourceUpdates: readonly string[];
  /** As they are at the end. Hand them to the next run to play a retry. */
  readonly checkpoints: ReadonlyMap<string, Json>;
}

/** Facts of the run as the tool sees them. */
export interface RunOptions {
  readonly taskId?: string;
  readonly principal?: string;
  /** 1 unless said otherwise. */
  readonly attempt?: number;
  readonly deadline?: Date | null;
  /** None unless said otherwise. */
  readonly trace?: ToolTrace | null;
  /** Aborting it aborts the run, beside `abort()`. */
  readonly signal?: AbortSignal;
  /** What an earlier attempt saved. It is copied, not changed. */
  readonly checkpoints?: ReadonlyMap<string, Json>;
  /** What the client can be asked; everything unless said otherwise. */
  readonly client?: ClientAbilities;
  /** What the client answers. A question without a scripted answer fails the run. */
  readonly answers?: ScriptedAnswers;
  /** Tools that `ctx.call` and `ctx.map` may name. */
  readonly tools?: readonly Tool[];
  /**
   * Where `ctx.now` and `ctx.sleep` have their time from, such as `createClock()` of @sinonjs/fake-timers. The
   * global timers unless said otherwise, so those that Jest, Vitest or node:test have replaced.
   */
  readonly clock?: TimeSource;
  /** Called with each progress report, for instance to abort in the middle. */
  readonly onProgress?: (progress: RecordedProgress) => void;
}

/** A context in memory. Checkpoints go through JSON, as they do on a server. */
export function recordedContext(
  options: RunOptions,
  signal: AbortSignal,
): { readonly ctx: ToolContext; readonly recording: Recording } {
  const progress: RecordedProgress[] = [];
  const statusMessages: string[] = [];
  const logs: RecordedLog[] = [];
  const resourceUpdates: string[] = [];
  const client = scriptedClient(options, signal);
  const { files, open } = recordFiles(signal);
  const taskId = options.taskId ?? '00000000-0000-4000-8000-000000000001';
  const checkpoints = new Map<string, Json>(options.checkpoints);
  const log =
    (level: RecordedLog['level']) =>
    (message: string, fields: Readonly<Record<string, Json>> = {}): void => {
      logs.push({ level, message, fields });
    };
  const ctx: ToolContext = {
    ...createQuestions(client),
    ...memoryBatches(options.tools ?? [], () => ctx, options.clock),
    ...createClock({ signal }, options.clock),
    ...createFiles({ taskId, open }),
    signal,
    taskId,
    principal: options.principal ?? '00000000-0000-4000-8000-000000000002',
    attempt: options.attempt ?? 1,
    deadline: options.deadline ?? null,
    trace: options.trace ?? null,
    log: {
      debug: log('debug'),
      info: log('info'),
      notice: log('notice'),
      warning: log('warning'),
      error: log('error'),
      critical: log('critical'),
      alert: log('alert'),
      emergency: log('emergency'),
    },
    checkpoint: {
      get: async (key) => checkpoints.get(key) ?? null,
      set: async (key, value) => {
        checkpoints.set(key, JSON.parse(JSON.stringify(value)));
      },
    },
    progress: (done, total, message) => {
      const report = { done, total: total ?? null, message: message ?? null };
      progress.push(report);
      options.onProgress?.(report);
    },
    statusMessage: (text) => {
      statusMessages.push(text);
    },
    resourceUpdated: (uri) => {
      resourceUpdates.push(uri);
    },
  };
  const { questions } = client;
  return {
    ctx,
    recording: { progress, statusMessages, logs, questions, files, resourceUpdates, checkpoints },
  };
}

/** A file that a tool has finished. */
export interface RecordedFile {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  readonly text: string;
}

/** Takes files in memory, by name. */
function recordFiles(signal: AbortSignal): {
  readonly files: ReadonlyMap<string, RecordedFile>;
  open(file: { readonly name: string; readonly mimeType: string }): Promise<FileSink>;
} {
  const files = new Map<string, RecordedFile>();
  return {
    files,
    open: async ({ name, mimeType }) => {
      signal.throwIfAborted();
      const chunks: Uint8Array[] = [];
      return {
        write: async (chunk) => {
          signal.throwIfAborted();
          chunks.push(chunk);
        },
        close: async () => {
          signal.throwIfAborted();
          const bytes = Buffer.concat(chunks);
          files.set(name, { mimeType, bytes, text: bytes.toString('utf8') });
        },
        abort: async () => {},
      };
    },
  };
}
