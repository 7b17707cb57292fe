/**
 * Why an attempt was stopped from outside.
 * - `cancelled`: its owner cancelled the task.
 * - `timeout`: it ran longer than the tool's policy allows.
 * - `deadline`: the task passed its execution deadline.
 * - `lost`: the task ended, or its lease did and another worker may run it.
 * - `drain`: this worker is stopping.
 */
export type AbortReason = 'cancelled' | 'timeout' | 'deadline' | 'lost' | 'drain';

const MESSAGES: Record<AbortReason, string> = {
  cancelled: 'the task was cancelled',
  timeout: 'the attempt ran out of time',
  deadline: 'the task passed its deadline',
  lost: 'the task was taken from this worker',
  drain: 'the worker is stopping',
};

/**
 * The `reason` of a tool's AbortSignal. Its name is that of every abort in Node, so libraries that were
 * handed the signal recognise it.
 */
export class AttemptAborted extends Error {
  override readonly name = 'AbortError';
  readonly why: AbortReason;

  constructor(why: AbortReason) {
    super(MESSAGES[why]);
    this.why = why;
  }
}
