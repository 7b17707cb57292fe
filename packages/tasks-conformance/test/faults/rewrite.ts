import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import type { AnsweredCall, Fault } from './fault.ts';

type Json = Readonly<Record<string, unknown>>;
type ResultChange = (result: Json, call: AnsweredCall) => Json;

/** Rewrites the results of one method. */
export function resultOf(method: string, change: ResultChange): NonNullable<Fault['answer']> {
  return (answer, call) =>
    call.method === method && answer.result !== undefined
      ? { ...answer, result: change(answer.result, call) }
      : answer;
}

/** Rewrites the task of a CreateTaskResult. */
export function newTask(change: (task: Json) => Json): NonNullable<Fault['answer']> {
  return resultOf('tools/call', (result) =>
    result['task'] === undefined ? result : { ...result, task: change(result['task'] as Json) },
  );
}

/** Rewrites each task on a page of tasks/list. */
export function listedTasks(change: (task: Json) => Json): NonNullable<Fault['answer']> {
  return resultOf('tasks/list', (result) => ({
    ...result,
    tasks: (result['tasks'] as Json[]).map(change),
  }));
}

/** Rewrites the parameters of one kind of message to the client. */
export function paramsOf(
  method: string,
  change: (params: Json) => Json,
): NonNullable<Fault['outgoing']> {
  return (message) => [
    message.method === method ? { ...message, params: change(message.params ?? {}) } : message,
  ];
}

/** Replaces the error of a method by another one. */
export function errorOf(
  method: string,
  change: (message: JsonRpcMessage, call: AnsweredCall) => JsonRpcMessage,
): NonNullable<Fault['answer']> {
  return (answer, call) =>
    call.method === method && answer.error !== undefined ? change(answer, call) : answer;
}

export function without(json: Json, ...members: readonly string[]): Json {
  return Object.fromEntries(Object.entries(json).filter(([name]) => !members.includes(name)));
}
