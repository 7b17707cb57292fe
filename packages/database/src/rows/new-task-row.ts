import { type NewTask, type OutcomeKind, outcomeKind } from '@longshore/core';
import { abilitiesText } from './abilities-column.ts';
import { outcomeMessage, outcomePayload } from './outcome-row.ts';
import { storableText } from './storable-text.ts';

/** A new task with its documents as JSON text, so that they are written out once. */
export interface NewTaskRow
  extends Omit<
    NewTask,
    | 'arguments'
    | 'progressToken'
    | 'requestId'
    | 'outcome'
    | 'requestMethod'
    | 'abilities'
    | 'idempotency'
  > {
  readonly requestMethod: string;
  readonly requestId: string;
  readonly arguments: string;
  readonly progressToken: string | null;
  readonly abilities: string | null;
  readonly outcomeKind: OutcomeKind | null;
  readonly payload: string | null;
  readonly statusMessage: string | null;
  readonly idempotencyKey: string | null;
  readonly argumentsHash: string | null;
  readonly principalLimit: number | null;
  readonly toolLimit: number | null;
  readonly queueLimit: number | null;
}

export function toNewTaskRow(task: NewTask): NewTaskRow {
  const message = task.outcome === null ? null : outcomeMessage(task.outcome);
  return {
    ...task,
    requestId: JSON.stringify(task.requestId),
    arguments: JSON.stringify(task.arguments),
    progressToken: task.progressToken === null ? null : JSON.stringify(task.progressToken),
    abilities: abilitiesText(task.abilities),
    outcomeKind: task.outcome === null ? null : outcomeKind(task.outcome),
    payload: task.outcome === null ? null : outcomePayload(task.outcome),
    statusMessage: message === null ? null : storableText(message),
    idempotencyKey: task.idempotency?.key ?? null,
    argumentsHash: task.idempotency?.argumentsHash ?? null,
    principalLimit: task.principalLimit ?? null,
    toolLimit: task.toolLimit ?? null,
    queueLimit: task.queueLimit ?? null,
  };
}
