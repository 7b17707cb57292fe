import type { JsonObject } from '@longshore/core';

/** 2025-11-25 basic/utilities/tasks, "Associating Messages". */
export const RELATED_TASK_META = 'io.modelcontextprotocol/related-task';
/** 2025-11-25 basic/utilities/tasks, "Immediate Response". */
export const IMMEDIATE_RESPONSE_META = 'io.modelcontextprotocol/model-immediate-response';

/** Ours, in both eras: calls of a tool with the same key are one call. */
export const IDEMPOTENCY_KEY_META = 'dev.longshore/idempotencyKey';

/** Ours: how the runs of a listed tool are handled. */
export const TOOL_POLICY_META = 'dev.longshore/policy';

/** 2026-07-28 basic/index: every request names its revision and its client's capabilities. */
export const PROTOCOL_VERSION_META = 'io.modelcontextprotocol/protocolVersion';
export const CLIENT_CAPABILITIES_META = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO_META = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL_META = 'io.modelcontextprotocol/logLevel';

/** Any of these in a request's `_meta` makes it a modern one. */
export const ENVELOPE_META = [
  PROTOCOL_VERSION_META,
  CLIENT_CAPABILITIES_META,
  CLIENT_INFO_META,
  LOG_LEVEL_META,
] as const;

/** 2026-07-28 basic/index: who answers, on every result. */
export const SERVER_INFO_META = 'io.modelcontextprotocol/serverInfo';
/** 2026-07-28 basic/patterns/subscriptions: which listen request a notification belongs to. */
export const SUBSCRIPTION_ID_META = 'io.modelcontextprotocol/subscriptionId';

/** Ours: which bytes of a content of a task these are, of how many, and where the next ones are. */
export const PAGE_META = 'dev.longshore/page';

/** Ours: the job that a result is of; for hosts that lose its text, or its structure. */
export const JOB_META = 'dev.longshore/job';

/** Ours: this progress is the last one again, a trifle higher, to show that the call is alive. */
export const BEAT_META = 'dev.longshore/beat';

/** Identifier of the tasks extension of 2026-07-28 (SEP-2663). */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** The `_meta` member that ties a message to its task. */
export function relatedTask(taskId: string): JsonObject {
  return { [RELATED_TASK_META]: { taskId } };
}
