import type { JsonValue, LogLevel } from '@longshore/core';
import { type JsonRpcNotification, notification } from '../json-rpc.ts';
import { relatedTask } from '../legacy/task-wire.ts';

export interface LogReport {
  readonly level: LogLevel;
  /** Who says it, such as the tool's name. */
  readonly logger: string | null;
  readonly data: JsonValue;
  /** Set for legacy task-augmented calls only: their messages carry the related-task mark. */
  readonly taskId: string | null;
}

/**
 * `notifications/message`, the same in both eras (2025-11-25 and 2026-07-28 server/utilities/logging).
 * Whether the client wants it at all is the sender's business: the level of the session, or `_meta.logLevel`
 * of the modern request whose stream this goes to.
 */
export function logNotification(report: LogReport): JsonRpcNotification {
  return notification('notifications/message', {
    level: report.level,
    ...(report.logger === null ? {} : { logger: report.logger }),
    data: report.data,
    ...(report.taskId === null ? {} : { _meta: relatedTask(report.taskId) }),
  });
}
