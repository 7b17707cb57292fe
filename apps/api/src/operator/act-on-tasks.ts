import {
  type Access,
  type AnnouncedTool,
  type Identity,
  type JsonObject,
  LongshoreError,
  RETRY_TOOL,
  type TaskFacts,
  type TaskId,
} from '@longshore/core';
import { lackingCapabilities } from '@longshore/protocol';
import { callRow, startTask } from '../calls/call-row.ts';
import { checkRetry } from '../calls/check-retry.ts';
import { OPERATOR_ABILITIES } from '../calls/job-abilities.ts';
import { requiredScopes, requireScopes } from '../edge/auth/required-scopes.ts';
import { announceCancellation } from '../tasks/cancel-task.ts';
import { taskNotFound } from '../tasks/owned-tasks.ts';
import type { Handlers, Operator, OperatorContext } from './operation.ts';
import { requireFacts } from './read-tasks.ts';
import { type ShownTask, showTask } from './show-task.ts';

export const taskActions: Handlers<
  | 'POST /tasks/{id}/cancel'
  | 'POST /tasks/{id}/retry'
  | 'POST /tasks/{id}/retry-failed'
  | 'POST /tasks/{id}/answer'
  | 'POST /tools/{name}/run'
> = {
  'POST /tasks/{id}/cancel': async (context, { operator, params }) => {
    const id = await cancelTask(context, operator, params.id);
    return { task: await shown(context, operator, id) };
  },

  'POST /tasks/{id}/retry': async (context, { operator, params, body }) => {
    const args = (body.arguments ?? null) as JsonObject | null;
    const id = await retryTask(context, operator, params.id, args, null);
    return { task: await shown(context, operator, id) };
  },

  'POST /tasks/{id}/retry-failed': async (context, { operator, params, body }) => {
    const facts = await requireActable(context, operator, params.id);
    requireEnded(facts);
    const { key } = body;
    const args = { task_id: facts.id, ...(key === undefined ? {} : { key }) };
    const id = await call(context, operator, facts, RETRY_TOOL, args, null);
    operator.log.audit('task_retried', { kind: 'task', id: facts.id }, { as: id });
    return { task: await shown(context, operator, id) };
  },

  'POST /tasks/{id}/answer': async (context, { operator, params, body }) => {
    const { id, principalId: owner } = await requireActable(context, operator, params.id);
    const { key, action, content } = body;
    const pending = await context.inputs.pending(id, owner);
    const question = pending.find((one) => one.key === key);
    if (question === undefined) {
      throw new LongshoreError('NOT_FOUND', `Task ${id} asks nothing of this key now`);
    }
    if (question.method !== 'elicitation/create') {
      throw new LongshoreError(
        'INVALID_PARAMS',
        `A question by ${question.method} can only be answered by a client of the protocol`,
      );
    }
    const outcome = await context.inputs.answer(id, owner, {
      [key]: { action, ...(content === undefined ? {} : { content }) },
    });
    if (outcome.kind === 'not_found') throw taskNotFound();
    if (!outcome.keys.includes(key)) {
      throw new LongshoreError('NOT_FOUND', `Question ${key} does not wait for an answer any more`);
    }
    operator.log.audit('task_answered', { kind: 'task', id });
    return { task: await shown(context, operator, id) };
  },

  'POST /tools/{name}/run': async (context, { operator, params, body }) => {
    const { identity } = operator.access;
    const args = body.arguments as JsonObject;
    const id = await call(context, operator, identity, params.name, args, null);
    operator.log.audit('task_created', { kind: 'task', id }, { tool: params.name });
    return { task: await shown(context, operator, id) };
  },
};

/**
 * Cancels a task, or a call that is held open, with what it has started, and tells whoever it concerns.
 * @throws {LongshoreError} TASK_NOT_FOUND · INSUFFICIENT_SCOPE · TASK_TERMINAL
 */
export async function cancelTask(
  context: OperatorContext,
  operator: Operator,
  taskId: string,
): Promise<TaskId> {
  const { id, listed, principalId: owner } = await requireActable(context, operator, taskId);
  const { tasks } = context;
  const outcome = await (listed ? tasks.cancel(id, owner) : tasks.cancelHeld(id, owner));
  if (outcome.kind === 'not_found') throw taskNotFound();
  if (outcome.kind === 'already_terminal') {
    throw new LongshoreError('TASK_TERMINAL', `Task ${id} has already ended`);
  }
  operator.log.info({ taskId: id, workerId: outcome.workerId }, 'task cancelled');
  operator.log.audit('task_cancelled', { kind: 'task', id });
  await announceCancellation(context, outcome);
  return id;
}

/**
 * Runs the call of a task that has ended again, as a new task of its owner.
 *
 * @param args null: those it had
 * @param key with which doing it twice is doing it once; null: none
 * @returns the new task
 * @throws {LongshoreError} TASK_NOT_FOUND · TASK_OPEN · what `call` throws
 */
export async function retryTask(
  context: OperatorContext,
  operator: Operator,
  id: string,
  args: JsonObject | null,
  key: string | null,
): Promise<TaskId> {
  const facts = await requireActable(context, operator, id);
  requireEnded(facts);
  if (facts.method !== 'tools/call') {
    throw new LongshoreError('INVALID_PARAMS', 'Only calls of tools can be run again');
  }
  const made = await call(context, operator, facts, facts.toolName, args ?? facts.arguments, key);
  operator.log.audit('task_retried', { kind: 'task', id: facts.id }, { as: made });
  return made;
}

/**
 * Those who see the tasks of others may not act on them for that.
 * @throws {LongshoreError} TASK_NOT_FOUND · INSUFFICIENT_SCOPE
 */
async function requireActable(
  context: OperatorContext,
  operator: Operator,
  id: string,
): Promise<TaskFacts> {
  const facts = await requireFacts(context, operator, id);
  const isOwn = facts.principalId === operator.principalId;
  requireScopes(operator.access, operator.operates ? [] : [isOwn ? 'tasks:write' : 'ops:write']);
  return facts;
}

/** @throws {LongshoreError} TASK_OPEN */
function requireEnded({ id, finishedAt }: TaskFacts): void {
  if (finishedAt === null) {
    throw new LongshoreError(
      'TASK_OPEN',
      `Task ${id} has not ended: there is nothing to run again`,
    );
  }
}

/**
 * Calls a tool as a task, for whoever is to own it. One's own calls need the scopes of a client's; an operator's calls for
 * others are as the owner's, within the limits of the configuration.
 *
 * @throws {LongshoreError} UNKNOWN_TOOL · TASK_FORBIDDEN · INVALID_PARAMS: the arguments do not fit · INSUFFICIENT_SCOPE · what
 *   `TaskSubmitter.submit` throws
 */
async function call(
  context: OperatorContext,
  operator: Operator,
  owner: Identity,
  name: string,
  args: JsonObject,
  idempotencyKey: string | null,
): Promise<TaskId> {
  const isOwn = owner.principalId === operator.principalId;
  const access = isOwn ? operator.access : accessOf(owner);
  if (isOwn) requireScopes(access, requiredScopes('tools/call', { name, arguments: args }));
  const tool = context.catalogue.tools.find(name);
  if (tool === null) throw context.catalogue.unknownTool(name);
  requireTask(tool);
  const problem =
    context.validator.problem(tool, args) ??
    (await checkRetry(context, access, owner.principalId, { name, arguments: args }));
  if (problem !== null) throw new LongshoreError('INVALID_PARAMS', problem);
  const limits = context.limitsOf(access);
  const caller = {
    principalId: owner.principalId,
    authBindingId: owner.authBindingId,
    sessionId: null,
    era: 'modern',
    requestId: `operator ${operator.principalId}`,
    abilities: OPERATOR_ABILITIES,
    logLevel: 'info',
    progressToken: null,
  } as const;
  const row = callRow(caller, tool, {
    arguments: args,
    listed: true,
    ttlMs: context.settings.defaultTtlMs,
    maxTtlMs: limits.maxTtlMs,
    problem: null,
    idempotencyKey,
  });
  const { id } = await startTask(context, row, limits);
  operator.log.info(
    { taskId: id, tool: name, owner: owner.principalId },
    'task made by an operator',
  );
  return id;
}

/** The page of an operator shows forms, and nothing else that a tool may ask. */
function requireTask({ name, taskSupport, requires }: AnnouncedTool): void {
  if (taskSupport === 'forbidden') {
    throw new LongshoreError('TASK_FORBIDDEN', `${name} does not run as a task`);
  }
  const lacking = lackingCapabilities(OPERATOR_ABILITIES, requires);
  if (lacking === null) return;
  throw new LongshoreError(
    'MISSING_CAPABILITY',
    `${name} asks its client, and needs one that declares ${Object.keys(lacking).join(', ')}`,
  );
}

const accessOf = (identity: Identity): Access => ({
  identity,
  sessionIdentity: identity,
  scopes: null,
  limits: {},
});

async function shown(
  { store }: OperatorContext,
  operator: Operator,
  id: TaskId,
): Promise<ShownTask> {
  const facts = await store.facts(id, operator.visible, 0);
  if (facts === null) throw taskNotFound();
  return showTask(facts);
}
