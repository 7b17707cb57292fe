import type { JsonObject, Task } from '@longshore/core';
import { RELATED_TASK_META } from '../meta-keys.ts';

export type LegacyTaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** How tasks are shown to clients. */
export interface LegacyTaskDisplay {
  /** Suggested to the client, in milliseconds. */
  readonly pollIntervalMs: number;
  /** What a task is whose result has `isError`: `completed` for hosts that never fetch what came of a failed task. */
  readonly toolErrors: 'failed' | 'completed';
}

/** In 2025-11-25 a result with `isError` is a failed task, as is a JSON-RPC error. */
export function legacyStatus(
  task: Task,
  toolErrors: LegacyTaskDisplay['toolErrors'] = 'failed',
): LegacyTaskStatus {
  if (task.state !== 'finished') return task.state;
  if (task.outcomeKind === 'tool_error') return toolErrors;
  return task.outcomeKind === 'result' ? 'completed' : 'failed';
}

/** The Task object of the 2025-11-25 schema. */
export function legacyTask(
  task: Task,
  { pollIntervalMs, toolErrors }: LegacyTaskDisplay,
): JsonObject {
  return {
    taskId: task.id,
    status: legacyStatus(task, toolErrors),
    ...(task.statusMessage === null ? {} : { statusMessage: task.statusMessage }),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttl: task.ttlMs,
    pollInterval: pollIntervalMs,
  };
}

/** The `_meta` member that ties a message to its task. */
export function relatedTask(taskId: string): JsonObject {
  return { [RELATED_TASK_META]: { taskId } };
}

/** The result of a finished task's request with the related-task mark that tasks/result must carry. */
export function withRelatedTask(result: JsonObject, taskId: string): JsonObject {
  const meta = result['_meta'];
  const own = typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? meta : {};
  return { ...result, _meta: { ...own, ...relatedTask(taskId) } };
}
