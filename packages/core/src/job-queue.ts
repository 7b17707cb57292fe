import type { TaskId } from './brand.ts';
import type { Service } from './service.ts';

/** What becomes of a job after its handler ran. */
export type JobDisposition =
  | { readonly kind: 'done' }
  /** Come back to it in `delayMs` milliseconds. */
  | { readonly kind: 'again'; readonly delayMs: number }
  /** The job is taken out of the queue; `left` is called when it is out, as only then it can be added again. */
  | { readonly kind: 'leave'; readonly left: () => Promise<void> }
  /**
   * Not ours: another consumer that is free gets it at once; when none is, it comes back here soon. With `until` not
   * before that calls back, and this consumer takes one job less meanwhile; what it returns ends that.
   */
  | { readonly kind: 'pass_on'; readonly until?: (over: () => void) => () => void };

/**
 * The producing side of the job queue. A job is a task id in a named queue and nothing else; its id is
 * the task id, so adding twice is adding once.
 */
export interface JobQueue extends Service {
  /** @throws {LongshoreError} QUEUE_UNAVAILABLE, retryable; some of the jobs may have been added */
  add(queue: string, taskIds: readonly TaskId[]): Promise<void>;
  /** Removes a job that has not started. Best effort: a worker refuses jobs of ended tasks anyway. */
  remove(queue: string, taskId: TaskId): Promise<void>;
  /** Jobs that wait for a worker, delayed ones included. */
  waitingCount(queue: string): Promise<number>;
}

/** The consuming side: calls `handler` for each job, at most `concurrency` at once. */
export interface JobConsumer extends Service {
  /** Takes no new jobs; resolves when the running handlers have returned. */
  stop(): Promise<void>;
}

export interface JobConsumerOptions {
  readonly queue: string;
  readonly concurrency: number;
  /** A job whose worker is silent for this long is given to another one, in milliseconds. */
  readonly leaseMs: number;
  readonly handler: (taskId: TaskId) => Promise<JobDisposition>;
  /**
   * How long `stop` waits for running handlers, in milliseconds; a handler that takes longer goes on
   * alone, and its job returns when its lease has run out.
   */
  readonly stopTimeoutMs?: number;
  /** Until it fires `stop` waits however long it takes, and then for `stopTimeoutMs`. Absent: it has fired. */
  readonly stopHurry?: AbortSignal;
}
