import type { JsonObject, ProgressToken, Task } from '@longshore/core';
import { type JsonRpcNotification, notification } from '../json-rpc.ts';
import { BEAT_META } from '../meta-keys.ts';
import { type LegacyTaskDisplay, legacyTask, relatedTask } from './task-wire.ts';

export interface ProgressReport {
  readonly token: ProgressToken;
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
  /** Set for task-augmented calls only: their messages carry the related-task mark. */
  readonly taskId: string | null;
  /** Nothing has moved: only the number is higher. */
  readonly isBeat: boolean;
}

/** 2025-11-25 basic/utilities/progress. */
export function progressNotification(report: ProgressReport): JsonRpcNotification {
  const meta = {
    ...(report.taskId === null ? {} : relatedTask(report.taskId)),
    ...(report.isBeat ? { [BEAT_META]: true } : {}),
  };
  const params: JsonObject = {
    progressToken: report.token,
    progress: report.progress,
    ...(report.total === null ? {} : { total: report.total }),
    ...(report.message === null ? {} : { message: report.message }),
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
  };
  return notification('notifications/progress', params);
}

/** 2025-11-25 basic/utilities/tasks, "Task Status Notification": the full task, without related-task mark. */
export function taskStatusNotification(
  task: Task,
  display: LegacyTaskDisplay,
): JsonRpcNotification {
  return notification('notifications/tasks/status', legacyTask(task, display));
}
