/** The process's own clock. Decisions about tasks use the database's clock instead. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
