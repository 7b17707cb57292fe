/**
 * Milliseconds beyond SHUTDOWN_GRACE_MS, for a worker that hands its tasks over. With the default of 5 s
 * everything, PostgreSQL included, is stopped within 10 s.
 */
export const HAND_OVER_MS = 3_000;

/** Milliseconds PostgreSQL may take to stop (packages/embedded: 13 s at most). */
export const POSTGRES_STOP_MS = 15_000;
