import type { BatchAbilities } from './batch/batch-abilities.ts';
import type { ClientQuestions } from './questions/client-questions.ts';
import type { TaskFiles } from './task-files/create-files.ts';
import type { ToolClock } from './tool-clock.ts';
import type { Json } from './values/json.ts';
import type { ToolLog } from './values/tool-log.ts';

/** What a tool saved before; it outlives crashes, retries and restarts, until the task is deleted. */
export interface Checkpoint {
  /** @returns null when nothing was saved under `key` */
  get(key: string): Promise<Json | null>;
  /** Rejects when the attempt is no longer the current one: then stop. */
  set(key: string, value: Json): Promise<void>;
}

/**
 * Where a run is in a distributed trace, as headers have it.
 * @see https://www.w3.org/TR/trace-context/
 */
export interface ToolTrace {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/**
 * What a running tool, prompt or resource may do beside returning. New abilities are added as new members,
 * so a plugin never constructs a context; tests take one from the test kit.
 */
export interface ToolContext extends ClientQuestions, BatchAbilities, TaskFiles, ToolClock {
  /** Fires on cancellation, time-out, deadline and loss of the task to another worker. Pass it on. */
  readonly signal: AbortSignal;
  readonly taskId: string;
  /** 1 for the first run; higher after a retry or a crash. */
  readonly attempt: number;
  /** Id of whoever owns the task. */
  readonly principal: string;
  /** When the task is failed whatever it does; null: never. */
  readonly deadline: Date | null;
  /** Null: nobody traces. For what others do for the tool: `fetch(url, { headers: { ...ctx.trace } })`. */
  readonly trace: ToolTrace | null;
  readonly log: ToolLog;
  readonly checkpoint: Checkpoint;
  /**
   * Reports progress. Call it as often as you like: it is throttled, the latest value wins, and values
   * that do not grow are dropped.
   *
   * @param done work done so far, in any unit, 0 or more
   * @param total all the work, in the same unit
   */
  progress(done: number, total?: number, message?: string): void;
  /** Says in words what is going on; task-aware clients show it. */
  statusMessage(text: string): void;
  /** Tells clients that subscribed to this resource that its content changed. */
  resourceUpdated(uri: string): void;
}
