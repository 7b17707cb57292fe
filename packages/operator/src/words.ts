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
