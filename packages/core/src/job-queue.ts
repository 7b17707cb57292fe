import type { TaskId } from './brand.ts';
import type { Service } from './service.ts';

/**
 * What becomes of a job after its handler ran. `tasks` are those of a bundle that the job is still for; left out: all.
 */
export type JobDisposition =
  | { readonly kind: 'done' }
  /** Come back to it in `delayMs` milliseconds. */
  | { readonly kind: 'again'; readonly delayMs: number; readonly tasks?: readonly TaskId[] }
  /** The job is taken out of the queue; `left` is called when it is out, as only then it can be added again. */
  | { readonly kind: 'leave'; readonly left: () => Promise<void> }
  /**
   * Not ours: another consumer that is free gets it at once; when none is, it comes back here soon. With `until` not
   * before that calls back, and this consumer takes one job less meanwhile; what it returns ends that.
   */
  | {
      readonly kind: 'pass_on';
      readonly tasks?: readonly TaskId[];
      readonly until?: (over: () => void) => () => void;
    };

/**
 * The producing side of the job queue. A job is one or many task ids in a named queue and nothing else: it wakes a worker,
 * which claims the tasks. One that comes twice does no harm, for a task can be claimed once.
 */
export interface JobQueue extends Service {
  /**
   * Adds jobs for these tasks: few have one each, whose id is the task's, so that adding it twice is adding it once; many
   * share jobs.
   *
   * @throws {LongshoreError} QUEUE_UNAVAILABLE, retryable; some of the jobs may have been added
   */
  add(queue: string, taskIds: readonly TaskId[]): Promise<void>;
  /**
   * Adds one more job for a task, which comes in `delayMs` milliseconds.
   *
   * @throws {LongshoreError} QUEUE_UNAVAILABLE, retryable; the job may have been added
   */
  addLater(queue: string, taskId: TaskId, delayMs: number): Promise<void>;
  /** Removes the job of a task that has one to itself and has not started. Best effort: a claim refuses ended tasks anyway. */
  remove(queue: string, taskId: TaskId): Promise<void>;
  /** Jobs that wait for a worker, delayed ones included. */
  waitingCount(queue: string): Promise<number>;
}

/** The consuming side: calls `handler` for the tasks of each job, at most `concurrency` jobs at once. */
export interface JobConsumer extends Service {
  /** Takes no new jobs; resolves when the running handlers have returned. */
  stop(): Promise<void>;
}

export interface JobConsumerOptions {
  readonly queue: string;
  readonly concurrency: number;
  /** A job whose worker is silent for this long is given to another one, in milliseconds. */
  readonly leaseMs: number;
  readonly handler: (taskIds: readonly TaskId[]) => Promise<JobDisposition>;
  /**
   * How long `stop` waits for running handlers, in milliseconds; a handler that takes longer goes on
   * alone, and its job returns when its lease has run out.
   */
  readonly stopTimeoutMs?: number;
}
