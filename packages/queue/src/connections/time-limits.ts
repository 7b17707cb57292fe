/** How long things may take, in milliseconds. */
export interface TimeLimits {
  /** An answer to a command, after which it is refused and a silent connection is dropped. */
  readonly answerMs: number;
  /** The server's first answer, at start. */
  readonly readyMs: number;
  /** Between two questions on a listening connection whether the server is still there. */
  readonly pingMs: number;
}

export const DEFAULT_TIME_LIMITS: TimeLimits = {
  answerMs: 5_000,
  readyMs: 10_000,
  pingMs: 10_000,
};
