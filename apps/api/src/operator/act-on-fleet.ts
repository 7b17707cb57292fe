import { PAUSES_TOPIC, type Pause, type ScheduleId, type WorkerId } from '@longshore/core';
import { requireScopes } from '../edge/auth/required-scopes.ts';
import { type Handlers, notFound, type Operator, type OperatorContext } from './operation.ts';

export const fleetActions: Handlers<
  | 'POST /workers/{id}/drain'
  | 'POST /workers/{id}/resume'
  | 'POST /queues/{name}/pause'
  | 'POST /queues/{name}/resume'
  | 'POST /tools/{name}/pause'
  | 'POST /tools/{name}/resume'
  | 'DELETE /schedules/{id}'
> = {
  'POST /workers/{id}/drain': (context, { operator, params }) =>
    setDraining(context, operator, params.id, true),
  'POST /workers/{id}/resume': (context, { operator, params }) =>
    setDraining(context, operator, params.id, false),

  'POST /queues/{name}/pause': (context, { operator, params }) =>
    pause(context, operator, { kind: 'queue', name: params.name }),
  'POST /queues/{name}/resume': (context, { operator, params }) =>
    resume(context, operator, { kind: 'queue', name: params.name }),
  'POST /tools/{name}/pause': (context, { operator, params }) =>
    pause(context, operator, { kind: 'tool', name: params.name }),
  'POST /tools/{name}/resume': (context, { operator, params }) =>
    resume(context, operator, { kind: 'tool', name: params.name }),

  'DELETE /schedules/{id}': async (context, { operator, params }) => {
    const id = params.id as ScheduleId;
    const owner = operator.operates ? await context.store.scheduleOwner(id) : operator.principalId;
    if (!operator.operates) requireScopes(operator.access, ['tasks:write']);
    const removed = owner === null ? null : await context.schedules.remove(owner, id);
    if (removed === null) throw notFound('schedule of this id');
    // What is armed finds no row.
    await context.wakes.disarm(id).catch((error: unknown) => {
      operator.log.debug({ scheduleId: id, err: error }, 'wake of a removed schedule was left');
    });
    operator.log.info({ scheduleId: id }, 'schedule removed by an operator');
    operator.log.audit('schedule_removed', { kind: 'schedule', id });
    return {};
  },
};

/** Committed first: should the message be lost, everybody looks again within seconds. */
async function pause(
  context: OperatorContext,
  operator: Operator,
  what: Pause,
): Promise<Record<string, never>> {
  if (!(await isKnown(context, what))) throw notFound(`${what.kind} ${what.name}`);
  await context.pauseStore.pause(what, operator.principalId);
  operator.log.info({ [what.kind]: what.name }, `${what.kind} paused`);
  operator.log.audit(`${what.kind}_paused`, { kind: what.kind, id: what.name });
  return told(context);
}

/** Live workers offer it, or tasks are in it. */
async function isKnown({ catalogue, store }: OperatorContext, what: Pause): Promise<boolean> {
  if (what.kind === 'tool') return catalogue.tools.find(what.name) !== null;
  const ofTools = [...catalogue.tools.all()].map(({ policy }) => policy.queue);
  return (
    ofTools.includes(what.name) || (await store.gauges()).some(({ queue }) => queue === what.name)
  );
}

async function resume(
  context: OperatorContext,
  operator: Operator,
  what: Pause,
): Promise<Record<string, never>> {
  await context.pauseStore.resume(what);
  operator.log.info({ [what.kind]: what.name }, `${what.kind} resumed`);
  operator.log.audit(`${what.kind}_resumed`, { kind: what.kind, id: what.name });
  return told(context);
}

async function setDraining(
  context: OperatorContext,
  operator: Operator,
  id: string,
  isDraining: boolean,
): Promise<Record<string, never>> {
  const isThere = await context.pauseStore.setDraining(id as WorkerId, isDraining);
  if (!isThere) throw notFound('worker of this id: it may have stopped');
  operator.log.info({ workerId: id }, isDraining ? 'worker is to drain' : 'worker is to go on');
  operator.log.audit(isDraining ? 'worker_drained' : 'worker_resumed', { kind: 'worker', id });
  return told(context);
}

async function told({ bus, pauses }: OperatorContext): Promise<Record<string, never>> {
  await pauses.runOnce();
  await bus.publish(PAUSES_TOPIC, { kind: 'pauses-changed' });
  return {};
}
