import type { JsonObject, Task, TaskStatus } from '@longshore/core';
import { type JsonRpcNotification, notification } from '../shared/json-rpc.ts';
import { relatedTask } from '../shared/meta-keys.ts';

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
): TaskStatus {
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

/** The result of a finished task's request with the related-task mark that tasks/result must carry. */
export function withRelatedTask(result: JsonObject, taskId: string): JsonObject {
  const meta = result['_meta'];
  const own = typeof meta === 'object' && meta !== null && !Array.isArray(meta) ? meta : {};
  return { ...result, _meta: { ...own, ...relatedTask(taskId) } };
}

/** 2025-11-25 basic/utilities/tasks, "Task Status Notification": the full task, without related-task mark. */
export function taskStatusNotification(
  task: Task,
  display: LegacyTaskDisplay,
): JsonRpcNotification {
  return notification('notifications/tasks/status', legacyTask(task, display));
}
