/** Milliseconds the checks work with. */
export interface Timing {
  /** How long a task runs that is to be seen running. */
  readonly taskMs: number;
  /** How long one listens for what must not come, and waits for what is on its way. */
  readonly settleMs: number;
  /** The time of one check; what has not come by then does not come. */
  readonly timeoutMs: number;
}

export const DEFAULT_TIMING: Timing = { taskMs: 1_000, settleMs: 500, timeoutMs: 30_000 };
