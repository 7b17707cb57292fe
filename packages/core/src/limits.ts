/** What one principal may use. */
export interface PrincipalLimits {
  /** 0: as many as it likes. */
  readonly requestsPerMinute: number;
  /** Tasks that workers run at once for the principal. 0: as many as there are seats. */
  readonly concurrentTasks: number;
  /** Tasks that wait for a worker. 0: as many as it likes. */
  readonly queuedTasks: number;
  /** Size of one call's arguments, as JSON in UTF-8. */
  readonly argumentBytes: number;
  /** Longest time a task is kept, from its creation, in milliseconds. */
  readonly maxTtlMs: number;
  /** Requests and streams held open at once by one API process. */
  readonly openStreams: number;
  /** Sessions of 2025-11-25 and before. 0: as many as it likes. */
  readonly sessions: number;
  /** Schedules that have not ended. 0: as many as it likes. */
  readonly schedules: number;
}

/** What each limit may be, for a credential as for the configuration. */
export const LIMIT_RANGES = {
  requestsPerMinute: { min: 0, max: 1_000_000_000 },
  concurrentTasks: { min: 0, max: 1_000_000_000 },
  queuedTasks: { min: 0, max: 1_000_000_000 },
  argumentBytes: { min: 2, max: 104_857_600 },
  maxTtlMs: { min: 1_000, max: 365 * 86_400_000 },
  openStreams: { min: 1, max: 10_000 },
  sessions: { min: 0, max: 1_000_000_000 },
  schedules: { min: 0, max: 1_000_000_000 },
} as const satisfies Record<keyof PrincipalLimits, { readonly min: number; readonly max: number }>;
