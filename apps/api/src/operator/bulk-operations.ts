import { randomUUID } from 'node:crypto';
import {
  type BulkAction,
  type BulkVerb,
  LongshoreError,
  type TaskPhase,
  type TaskSearch,
} from '@longshore/core';
import { type AnswerOf, EVERYTHING } from '@longshore/operator';
import { requireScopes } from '../edge/auth/required-scopes.ts';
import { type Handlers, notFound, type Operator, type OperatorContext } from './operation.ts';
import { MOST_COUNTED, searchOf } from './read-tasks.ts';
import { instant } from './show-task.ts';

const MOST_LISTED = 50;

/** What an action is for when its filter names no phase. */
const PHASES: Readonly<Record<BulkVerb, readonly TaskPhase[]>> = {
  cancel: ['waiting', 'ready', 'retrying', 'running', 'input_required'],
  retry: ['failed'],
};
const ENDED: ReadonlySet<TaskPhase> = new Set(['completed', 'failed', 'cancelled']);

export const bulkOperations: Handlers<
  'POST /bulk' | 'GET /bulk' | 'GET /bulk/{id}' | 'POST /bulk/{id}/stop'
> = {
  'POST /bulk': async (context, { operator, body }) => {
    const { verb, filter, most, dryRun, confirm } = body;
    if (!operator.operates) requireScopes(operator.access, ['tasks:write']);
    if (Object.keys(filter).length === 0 && confirm !== EVERYTHING) {
      throw new LongshoreError(
        'INVALID_PARAMS',
        `An empty filter is for all tasks: say so with confirm: "${EVERYTHING}"`,
      );
    }
    const search = actedOn(operator, verb, searchOf(operator, filter));
    const matches = await context.store.count(search, MOST_COUNTED);
    if (dryRun) return { ...matches, action: null };
    const action = await context.bulk.create({
      id: randomUUID(),
      identity: operator.access.identity,
      scopes: operator.access.scopes,
      verb,
      search,
      most,
    });
    context.pokeBulk();
    operator.log.info({ bulkId: action.id, verb, filter, most }, 'bulk action begun');
    operator.log.audit('bulk_begun', { kind: 'bulk', id: action.id }, { verb });
    return { ...matches, action: shown(action) };
  },

  'GET /bulk': async ({ bulk }, { operator }) => ({
    actions: (await bulk.list(operator.visible, MOST_LISTED)).map(shown),
  }),

  'GET /bulk/{id}': async (context, { operator, params }) => ({
    action: shown(await requireAction(context, operator, params.id)),
  }),

  'POST /bulk/{id}/stop': async (context, { operator, params }) => {
    const { id, identity } = await requireAction(context, operator, params.id);
    const isOwn = identity.principalId === operator.principalId;
    requireScopes(operator.access, operator.operates ? [] : [isOwn ? 'tasks:write' : 'ops:write']);
    if (await context.bulk.stop(id)) operator.log.audit('bulk_stopped', { kind: 'bulk', id });
    return { action: shown(await requireAction(context, operator, id)) };
  },
};

/** @throws {LongshoreError} INVALID_PARAMS: a phase in which there is nothing to do */
function actedOn(operator: Operator, verb: BulkVerb, search: TaskSearch): TaskSearch {
  const phases = search.phases ?? PHASES[verb];
  const unfit = phases.filter((phase) => ENDED.has(phase) === (verb === 'cancel'));
  if (unfit.length > 0) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      `Nothing to ${verb} in the phase ${unfit.join(', ')}`,
    );
  }
  // What it makes is newer, and no part of it.
  const now = new Date();
  const until = search.createdBefore;
  return {
    ...search,
    phases,
    owner: operator.operates ? search.owner : operator.principalId,
    createdBefore: until !== null && until < now ? until : now,
  };
}

async function requireAction(
  { bulk }: OperatorContext,
  operator: Operator,
  id: string,
): Promise<BulkAction> {
  const action = await bulk.find(id, operator.visible);
  if (action === null) throw notFound('bulk action of this id');
  return action;
}

function shown({ search, ...action }: BulkAction): AnswerOf<'GET /bulk/{id}'>['action'] {
  return {
    id: action.id,
    verb: action.verb,
    filter: {
      ...(search.phases === null ? {} : { phase: [...search.phases] }),
      ...(search.tools === null ? {} : { tool: [...search.tools] }),
      ...(search.queues === null ? {} : { queue: [...search.queues] }),
      ...(search.owner === null ? {} : { principal: search.owner }),
      ...(search.worker === null ? {} : { worker: search.worker }),
      ...(search.parent === null ? {} : { parent: search.parent }),
      ...(search.createdAfter === null ? {} : { createdAfter: search.createdAfter.toISOString() }),
      ...(search.createdBefore === null
        ? {}
        : { createdBefore: search.createdBefore.toISOString() }),
      ...(search.text === null ? {} : { text: search.text }),
    },
    state: action.state,
    most: action.most,
    done: action.done,
    failed: action.failed,
    failures: action.failures.map((failure) => ({ ...failure })),
    createdAt: action.createdAt.toISOString(),
    finishedAt: instant(action.finishedAt),
  };
}
