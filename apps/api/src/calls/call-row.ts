import { randomUUID } from 'node:crypto';
import {
  type AnnouncedTool,
  type JsonObject,
  type NewTask,
  type Task,
  type TaskId,
  toolErrorOutcome,
} from '@longshore/core';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import type { CallContext } from './call-context.ts';
import type { Caller } from './caller.ts';
import { idempotencyOf } from './idempotency.ts';

/** A row that is yet to be committed. What submits it says whether its job is added at once. */
export type CallRow = Omit<NewTask, 'enqueue'>;

/** Who asks, as the row keeps it. */
export type RowCaller = Pick<
  Caller,
  | 'principalId'
  | 'authBindingId'
  | 'sessionId'
  | 'era'
  | 'requestId'
  | 'abilities'
  | 'logLevel'
  | 'progressToken'
>;

/**
 * A UUID of version 7 (RFC 9562, 5.7): 48 bits of the time, by which lists of all tasks are in order without an index of their
 * own, and 74 random ones.
 */
function newTaskId(): TaskId {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}` as TaskId;
}

/** What the rows of all requests have of who asks. */
export const rowOf = (caller: RowCaller) => ({
  id: newTaskId(),
  principalId: caller.principalId,
  authBindingId: caller.authBindingId,
  sessionId: caller.sessionId,
  era: caller.era,
  requestId: caller.requestId,
  abilities: caller.abilities,
  logLevel: caller.logLevel,
  progressToken: caller.progressToken,
});

/**
 * The row of a call of a tool, whoever makes it: a client of either era, `job_retry` or a schedule.
 *
 * @param call.ttlMs as it is wanted; it gets no more than `maxTtlMs`
 * @param call.problem why it can not run, a sentence for the model; null: it can. Arguments that do not fit are the
 *   tool's failure, which a model can mend, not the protocol's
 * @param call.idempotencyKey null: the call is one of its own
 */
export function callRow(
  caller: RowCaller,
  tool: AnnouncedTool,
  call: {
    readonly arguments: JsonObject;
    readonly listed: boolean;
    readonly ttlMs: number;
    readonly maxTtlMs: number;
    readonly problem: string | null;
    readonly idempotencyKey: string | null;
  },
): CallRow {
  const { policy } = tool;
  return {
    requestMethod: 'tools/call',
    listed: call.listed,
    toolName: tool.name,
    toolFingerprint: tool.fingerprint,
    arguments: call.arguments,
    queue: policy.queue,
    toolLimit: policy.concurrency,
    maxAttempts: policy.maxAttempts,
    timeoutMs: policy.timeoutMs,
    deadlineMs: policy.deadlineMs,
    ttlMs: Math.min(call.ttlMs, call.maxTtlMs),
    outcome: call.problem === null ? null : toolErrorOutcome(call.problem),
    idempotency: idempotencyOf(call.idempotencyKey, call.arguments),
    // Last: a literal that goes on after a spread costs a hundred times as much.
    ...rowOf(caller),
  };
}

/**
 * Commits a row whose client gets a handle. A task always starts as working, also one that has failed by the time the
 * client asks; that of a call which was sent before is as it is by now, and has a handle from here on.
 *
 * @returns the task as its client gets to see it
 * @throws {LongshoreError} what `TaskSubmitter.submit` throws · TASK_NOT_FOUND when it has expired meanwhile
 */
export async function startTask(
  { submitter, tasks }: Pick<CallContext, 'submitter' | 'tasks'>,
  row: CallRow,
  limits: Parameters<CallContext['submitter']['submit']>[1],
): Promise<Task> {
  const acceptance = await submitter.submit(row, limits);
  if (acceptance.kind === 'created') {
    const { createdAt } = acceptance;
    const state = { state: 'working', progress: null, statusMessage: null, isHeld: false } as const;
    return { createdAt, updatedAt: createdAt, ...row, ...state };
  }
  const { task } = acceptance;
  if (task.listed) return task;
  // Another request may have given it a handle in between.
  const listed =
    (await tasks.promote(task.id, row.principalId, 'other')) ??
    (await tasks.find(task.id, row.principalId));
  if (listed === null) throw taskNotFound();
  return listed;
}
