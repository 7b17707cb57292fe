import {
  LongshoreError,
  type PrincipalId,
  type TaskFacts,
  type TaskId,
  type TaskSearch,
  type WorkerId,
} from '@longshore/core';
import type { TaskFilter } from '@longshore/operator';
import { decodePlaceCursor, encodePlaceCursor } from '@longshore/protocol';
import type * as z from 'zod';
import { sendContent } from '../contents/download-endpoint.ts';
import { missingWorker } from '../contents/task-history.ts';
import { parseTaskId, taskNotFound } from '../tasks/owned-tasks.ts';
import { contentNotFound } from '../tasks/task-uri.ts';
import type { Handlers, Operator, OperatorContext } from './operation.ts';
import { instant, showTask } from './show-task.ts';

export const MOST_COUNTED = 10_000;
const MOST_EVENTS = 500;
const MOST_FILES = 200;

export const taskReads: Handlers<
  | 'GET /tasks'
  | 'GET /tasks/count'
  | 'GET /tasks/{id}'
  | 'GET /tasks/{id}/outcome'
  | 'GET /tasks/{id}/result/download'
  | 'GET /tasks/{id}/files/{name}'
> = {
  'GET /tasks': async ({ store }, { operator, query }) => {
    const { cursor, limit, ...filter } = query;
    const after = cursor === undefined ? null : decodePlaceCursor<TaskId>('tasks', cursor);
    const page = await store.search(searchOf(operator, filter), limit, after);
    return {
      tasks: page.tasks.map(showTask),
      next: page.next === null ? null : encodePlaceCursor('tasks', page.next),
      searchedTo: page.isCut ? instant(page.next?.createdAt ?? null) : null,
    };
  },

  'GET /tasks/count': ({ store }, { operator, query }) =>
    store.count(searchOf(operator, query), MOST_COUNTED),

  'GET /tasks/{id}': async (context, { operator, params }) => {
    const facts = await requireFacts(context, operator, params.id);
    const owner = facts.principalId;
    noteRead(operator, facts.id, owner);
    const [questions, files, counted] = await Promise.all([
      context.inputs.pending(facts.id, owner),
      context.contents.files(facts.id, MOST_FILES),
      context.contents.items.counts(facts.id, owner),
    ]);
    return {
      ...showTask(facts),
      arguments: facts.arguments,
      lostWorkers: facts.lost,
      ttlMs: facts.ttlMs,
      expiresAt: instant(facts.expiresAt),
      deadlineAt: instant(facts.deadline),
      runAfter: instant(facts.runAfter),
      timeoutMs: facts.timeoutMs,
      idempotencyKey: facts.idempotencyKey,
      toolVersion: facts.toolVersion,
      waitsFor: await waitsFor(context, facts),
      events: facts.events.map(({ at, ...event }) => ({ ...event, at: at.toISOString() })),
      questions: questions.map(({ key, method, params: asked }) => ({
        key,
        method,
        params: asked,
      })),
      files: files.map(({ name, mimeType, size }) => ({ name, mimeType, size })),
      batches: (counted?.batches ?? []).map(({ id: _, ...batch }) => batch),
      hasResult: facts.outcomeKind !== null,
    };
  },

  'GET /tasks/{id}/outcome': async (context, { operator, params }) => {
    const owner = await ownerOfRead(context, operator, params.id);
    const [found, stored] = await Promise.all([
      context.tasks.findWithOutcome(parseTaskId(params.id), owner),
      context.contents.find({ taskId: params.id as TaskId, content: { kind: 'result' } }, owner),
    ]);
    if (found === null) throw taskNotFound();
    const { task, outcome } = found;
    if (task.state === 'cancelled') throw new LongshoreError('TASK_CANCELLED', 'Task cancelled');
    if (outcome === null || task.state !== 'finished') {
      throw new LongshoreError('TASK_OPEN', `Task ${task.id} has not ended`);
    }
    const isPreview =
      stored !== null && outcome.kind === 'result' && stored.size > jsonBytes(outcome.result);
    return {
      kind: task.outcomeKind,
      payload: outcome.kind === 'error' ? { ...outcome.error } : outcome.result,
      wholeBytes: isPreview ? stored.size : null,
    };
  },

  'GET /tasks/{id}/result/download': async (context, { operator, params, request, response }) => {
    const owner = await ownerOf(context, operator, params.id);
    const address = { taskId: params.id as TaskId, content: { kind: 'result' } } as const;
    const content = await context.contents.find(address, owner);
    if (content === null) throw contentNotFound(request.path);
    operator.log.audit('task_downloaded', { kind: 'task', id: params.id });
    await sendContent(content, request, response);
    return undefined;
  },

  'GET /tasks/{id}/files/{name}': async (context, { operator, params, request, response }) => {
    const owner = await ownerOf(context, operator, params.id);
    const { id, name } = params;
    const address = { taskId: id as TaskId, content: { kind: 'file', name } } as const;
    const content = name.includes('\0') ? null : await context.contents.find(address, owner);
    if (content === null) throw contentNotFound(request.path);
    operator.log.audit('task_downloaded', { kind: 'task', id: params.id });
    await sendContent(content, request, response);
    return undefined;
  },
};

/**
 * Whose task it is that the caller may see: what works on it goes on as for its owner.
 * @throws {LongshoreError} TASK_NOT_FOUND: unknown, expired, or somebody else's
 */
export async function ownerOf(
  { store }: Pick<OperatorContext, 'store'>,
  operator: Operator,
  id: string,
): Promise<PrincipalId> {
  if (!operator.seesAll) return operator.principalId;
  const owner = await store.ownerOf(parseTaskId(id));
  if (owner === null) throw taskNotFound();
  return owner;
}

/**
 * As `ownerOf`, of a task that is read: what is somebody else's is on record.
 * @throws {LongshoreError} TASK_NOT_FOUND
 */
export async function ownerOfRead(
  context: Pick<OperatorContext, 'store'>,
  operator: Operator,
  id: string,
): Promise<PrincipalId> {
  const owner = await ownerOf(context, operator, id);
  noteRead(operator, id, owner);
  return owner;
}

function noteRead(operator: Operator, id: string, owner: PrincipalId): void {
  if (owner !== operator.principalId) operator.log.auditCount('task_read', { kind: 'task', id });
}

/** @throws {LongshoreError} TASK_NOT_FOUND */
export async function requireFacts(
  { store }: Pick<OperatorContext, 'store'>,
  operator: Operator,
  id: string,
): Promise<TaskFacts> {
  const facts = await store.facts(parseTaskId(id), operator.visible, MOST_EVENTS);
  if (facts === null) throw taskNotFound();
  return facts;
}

/**
 * @throws {LongshoreError} INSUFFICIENT_SCOPE for tasks of another principal that the caller may not see
 */
export function searchOf(operator: Operator, filter: z.output<typeof TaskFilter>): TaskSearch {
  const { principal } = filter;
  if (principal !== undefined && !operator.seesAll && principal !== operator.principalId) {
    throw new LongshoreError('INSUFFICIENT_SCOPE', 'Tasks of others are for the scope ops:read', {
      details: { requiredScopes: ['ops:read'] },
    });
  }
  return {
    owner: operator.visible ?? (principal as PrincipalId | undefined) ?? null,
    phases: filter.phase ?? null,
    tools: filter.tool ?? null,
    queues: filter.queue ?? null,
    worker: (filter.worker as WorkerId | undefined) ?? null,
    parent: (filter.parent as TaskId | undefined) ?? null,
    createdAfter: filter.createdAfter === undefined ? null : new Date(filter.createdAfter),
    createdBefore: filter.createdBefore === undefined ? null : new Date(filter.createdBefore),
    text: filter.text ?? null,
  };
}

async function waitsFor(
  { workers, leaseMs, pauses }: OperatorContext,
  { phase, toolName, queue, runAfter }: TaskFacts,
): Promise<string | null> {
  if (phase === 'input_required') return 'an answer to its question';
  if (phase === 'retrying') return `its next attempt, at ${instant(runAfter) ?? 'once'}`;
  if (phase !== 'waiting' && phase !== 'ready') return null;
  if (pauses.has({ kind: 'queue', name: queue })) return `its queue, ${queue}, which is paused`;
  if (pauses.has({ kind: 'tool', name: toolName })) return `its tool, ${toolName}, which is paused`;
  const missing = await missingWorker(workers, leaseMs, toolName);
  if (missing !== null) return missing;
  return phase === 'ready' ? 'a free worker' : 'its turn: as many as may are ready or running';
}

const jsonBytes = (value: object): number => Buffer.byteLength(JSON.stringify(value));
