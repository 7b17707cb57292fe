import type { JsonObject, JsonValue, LogLevel, ProgressToken } from '@longshore/core';
import { type JsonRpcNotification, notification } from './json-rpc.ts';
import { BEAT_META, relatedTask } from './meta-keys.ts';

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

/** A list of the server that a client can see. Resources and their templates are one. */
export type ChangedList = 'tools' | 'prompts' | 'resources';

/** `notifications/<list>/list_changed`, the same in both eras but for the `_meta` of modern streams. */
export function listChangedNotification(list: ChangedList): JsonRpcNotification {
  return { jsonrpc: '2.0', method: `notifications/${list}/list_changed` };
}

/** The content behind `uri` changed: read it again (2025-11-25 server/resources, "Subscriptions"). */
export function resourceUpdatedNotification(uri: string): JsonRpcNotification {
  return { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } };
}
