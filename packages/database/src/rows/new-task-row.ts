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
    | 'traceContext'
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
  readonly traceContext: string | null;
  readonly principalLimit: number | null;
  readonly toolLimit: number | null;
  readonly queueLimit: number | null;
}

/** Written out, and not spread: a literal that goes on after a spread costs a hundred times as much, once per accepted call. */
export function toNewTaskRow(task: NewTask): NewTaskRow {
  const { outcome, idempotency } = task;
  const message = outcome === null ? null : outcomeMessage(outcome);
  return {
    id: task.id,
    principalId: task.principalId,
    authBindingId: task.authBindingId,
    sessionId: task.sessionId,
    era: task.era,
    requestMethod: task.requestMethod,
    requestId: JSON.stringify(task.requestId),
    abilities: abilitiesText(task.abilities),
    logLevel: task.logLevel,
    listed: task.listed,
    toolName: task.toolName,
    toolFingerprint: task.toolFingerprint,
    arguments: JSON.stringify(task.arguments),
    progressToken: task.progressToken === null ? null : JSON.stringify(task.progressToken),
    queue: task.queue,
    maxAttempts: task.maxAttempts,
    timeoutMs: task.timeoutMs,
    deadlineMs: task.deadlineMs,
    ttlMs: task.ttlMs,
    enqueue: task.enqueue,
    outcomeKind: outcome === null ? null : outcomeKind(outcome),
    payload: outcome === null ? null : outcomePayload(outcome),
    statusMessage: message === null ? null : storableText(message),
    idempotencyKey: idempotency?.key ?? null,
    argumentsHash: idempotency?.argumentsHash ?? null,
    traceContext: task.traceContext ?? null,
    principalLimit: task.principalLimit ?? null,
    toolLimit: task.toolLimit ?? null,
    queueLimit: task.queueLimit ?? null,
  };
}
