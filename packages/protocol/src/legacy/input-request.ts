import type { InputMethod, InputRequestId, PendingInput } from '@longshore/core';
import { isObject } from '../shared/json-object.ts';
import { type JsonRpcNotification, type JsonRpcRequest, notification } from '../shared/json-rpc.ts';
import { relatedTask } from '../shared/meta-keys.ts';

/** What of a question a posted response answers. */
export interface AnswerAddress {
  readonly id: InputRequestId;
  /** `answer`: the question itself; `status` and `result`: the task the client made of it. */
  readonly part: 'answer' | 'status' | 'result';
}

const ADDRESS =
  /^(?<id>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.(?:(?<get>get)\.\d{1,15}|(?<result>result)))?$/;

/**
 * A question as the request a legacy client answers (2025-11-25 client/elicitation, client/sampling,
 * client/roots). Its id is the question's, so the answer finds it from any replica.
 *
 * @param options.relatedTo id of the task it belongs to, when the client has its handle
 * @param options.hostedTtlMs asks the client to make a task of it that is kept this long; null: it can not
 */
export function inputRequest(
  question: PendingInput,
  options: { relatedTo: string | null; hostedTtlMs: number | null },
): JsonRpcRequest {
  const { method, params, id } = question;
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return {
    jsonrpc: '2.0',
    id,
    method,
    params: {
      ...(method === 'elicitation/create' && params['mode'] === 'url' ? { elicitationId: id } : {}),
      ...params,
      ...(options.hostedTtlMs === null ? {} : { task: { ttl: options.hostedTtlMs } }),
      ...(options.relatedTo === null
        ? {}
        : { _meta: { ...meta, ...relatedTask(options.relatedTo) } }),
    },
  };
}

/**
 * Says that nobody waits for the answer to a question any more (2025-11-25 basic/utilities/cancellation).
 * @param relatedTo id of the task it belongs to, when the client has its handle
 */
export function inputWithdrawn(
  question: PendingInput,
  relatedTo: string | null,
): JsonRpcNotification {
  return notification('notifications/cancelled', {
    requestId: question.id,
    reason: 'Nobody waits for the answer any more',
    ...(relatedTo === null ? {} : { _meta: relatedTask(relatedTo) }),
  });
}

/** The same for a question that the client made a task of: only tasks/cancel ends those. */
export function hostedTaskCancelRequest(question: PendingInput, taskId: string): JsonRpcRequest {
  return {
    jsonrpc: '2.0',
    id: `${question.id}.cancel`,
    method: 'tasks/cancel',
    params: { taskId },
  };
}

/** Asks how a task is doing that the client made of a question. `n`: never the same twice. */
export function hostedTaskStatusRequest(
  question: PendingInput,
  taskId: string,
  n: number,
): JsonRpcRequest {
  return { jsonrpc: '2.0', id: `${question.id}.get.${n}`, method: 'tasks/get', params: { taskId } };
}

/** Asks for the result of a task that the client made of a question. */
export function hostedTaskResultRequest(question: PendingInput, taskId: string): JsonRpcRequest {
  return {
    jsonrpc: '2.0',
    id: `${question.id}.result`,
    method: 'tasks/result',
    params: { taskId },
  };
}

/** @returns null for the id of a request this server can not have sent */
export function parseAnswerAddress(id: string | number): AnswerAddress | null {
  const groups = typeof id === 'string' ? ADDRESS.exec(id)?.groups : undefined;
  if (groups === undefined) return null;
  const part =
    groups['get'] !== undefined ? 'status' : groups['result'] !== undefined ? 'result' : 'answer';
  return { id: (groups['id'] ?? '') as InputRequestId, part };
}

/** Whether a client that declares these abilities may answer with a task of its own. */
export function hostsTasks(
  tasks: { readonly elicitation: boolean; readonly sampling: boolean },
  method: InputMethod,
): boolean {
  if (method === 'elicitation/create') return tasks.elicitation;
  return method === 'sampling/createMessage' && tasks.sampling;
}
