/*
 * The words of the API that its clients list: for pages and commands, which load no schemas. Those that the server has as well are the same
 * there (test/operator-words.test.ts).
 */

export const PHASES = [
  'waiting',
  'ready',
  'retrying',
  'running',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] as const;

export const RANGES = ['1h', '6h', '24h', '7d', '30d'] as const;

export const WEBHOOK_EVENTS = [
  'task.completed',
  'task.failed',
  'task.cancelled',
  'task.input_required',
  'batch.failing',
] as const;

export const AUDIT_ACTIONS = [
  'task_created',
  'task_read',
  'task_answered',
  'task_cancelled',
  'task_retried',
  'task_downloaded',
  'bulk_begun',
  'bulk_stopped',
  'queue_paused',
  'queue_resumed',
  'tool_paused',
  'tool_resumed',
  'worker_drained',
  'worker_resumed',
  'schedule_removed',
  'webhook_made',
  'webhook_removed',
  'webhook_enabled',
  'webhook_disabled',
  'webhook_replayed',
  'key_made',
  'key_revoked',
  'login',
  'refused',
  'lookups_failed',
] as const;

/** What each limit of a key may be. */
export const LIMIT_RANGES = {
  requestsPerMinute: { min: 0, max: 1_000_000_000 },
  concurrentTasks: { min: 0, max: 1_000_000_000 },
  queuedTasks: { min: 0, max: 1_000_000_000 },
  argumentBytes: { min: 2, max: 104_857_600 },
  maxTtlMs: { min: 1_000, max: 31_536_000_000 },
  openStreams: { min: 1, max: 10_000 },
  sessions: { min: 0, max: 1_000_000_000 },
  schedules: { min: 0, max: 1_000_000_000 },
} as const;
