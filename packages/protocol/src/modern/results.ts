import type { InputQuestion, JsonObject, Task } from '@longshore/core';
import type { ServerIdentity } from '../legacy/initialize.ts';
import { isObject } from '../shared/json-object.ts';
import { SERVER_INFO_META } from '../shared/meta-keys.ts';
import { inputRequests, modernTask } from './task-wire.ts';

/** How long, and by whom, a result may be kept (2026-07-28 server/utilities/caching). */
export interface CacheHint {
  /** Milliseconds, 0 or more. */
  readonly ttlMs: number;
  /** `private` as soon as the content depends on who asks. */
  readonly cacheScope: 'public' | 'private';
}

/** Only name and version go out. */
type Server = Pick<ServerIdentity, 'name' | 'version'>;

/** A final answer: `resultType` is required on every result, serverInfo recommended. */
export function completeResult(body: JsonObject, server: Server): JsonObject {
  return typed('complete', body, server);
}

/** Adds what discover, the lists and resources/read must carry, and nothing else may: not tasks/get. */
export function cacheable(result: JsonObject, hint: CacheHint): JsonObject {
  return { ...result, ttlMs: hint.ttlMs, cacheScope: hint.cacheScope };
}

/**
 * Asks the client to send the request again with answers. Only tools/call, prompts/get and resources/read
 * may be answered so.
 *
 * @param ask.questions may be empty: then the client just comes again
 * @see 2026-07-28 basic/patterns/mrtr
 */
export function inputRequiredResult(
  ask: { readonly questions: readonly InputQuestion[]; readonly requestState: string },
  server: Server,
): JsonObject {
  const body: JsonObject = { requestState: ask.requestState };
  if (ask.questions.length > 0) body['inputRequests'] = inputRequests(ask.questions);
  return typed('input_required', body, server);
}

/**
 * The handle of a task instead of the result: flat, and without result, error or questions, which tasks/get has.
 *
 * @param pollIntervalMs suggested to the client
 * @see 2026-07-28 extension io.modelcontextprotocol/tasks, CreateTaskResult
 */
export function createTaskResult(task: Task, pollIntervalMs: number, server: Server): JsonObject {
  return typed('task', modernTask(task, pollIntervalMs), server);
}

function typed(resultType: string, body: JsonObject, server: Server): JsonObject {
  const meta = body['_meta'];
  return {
    ...body,
    resultType,
    _meta: {
      ...(isObject(meta) ? meta : {}),
      [SERVER_INFO_META]: { name: server.name, version: server.version },
    },
  };
}
