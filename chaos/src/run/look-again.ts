import type { AcknowledgedTask, ForeignLook, TaskRow } from '../check/evidence.ts';
import type { ChaosClients } from './chaos-clients.ts';
import type { LoadRecords, TaskRecord } from './load-run.ts';

/** Every so many tasks are asked for by somebody else as well. */
const FOREIGN_EVERY = 5;

/**
 * Cancels the tasks that nobody was told of, because the answer was lost: as a client does that comes back,
 * lists what it has, and finds what it did not know. They would end by themselves, but a question that nobody
 * knows of is given ten minutes.
 */
export async function cancelUnknown(clients: ChaosClients, records: LoadRecords): Promise<void> {
  const known = new Set(records.tasks.map(({ taskId }) => taskId));
  for (let principal = 0; principal < clients.principals; principal += 1) {
    const unknown = (await clients.list(principal)).filter((taskId) => !known.has(taskId));
    const api = clients.apiOf({ principal, era: 'legacy' });
    for (const taskId of unknown) await api.cancel(taskId);
  }
}

/**
 * Asks for every task once more, as its owner and, for some, as somebody else; and lists what each principal
 * is shown. Everything is settled, so that each answer comes at once.
 */
export async function lookAgain(
  clients: ChaosClients,
  records: LoadRecords,
  rows: readonly TaskRow[],
  atOnce: number,
): Promise<{ tasks: AcknowledgedTask[]; looks: ForeignLook[] }> {
  const tasks: AcknowledgedTask[] = [];
  const looks: ForeignLook[] = [];
  const left = [...records.tasks];
  const work = async (): Promise<void> => {
    for (let record = left.pop(); record !== undefined; record = left.pop()) {
      const { plan, taskId } = record;
      tasks.push({ ...record, final: await clients.apiOf(plan).look(taskId) });
      if (plan.index % FOREIGN_EVERY === 0) looks.push(await lookAsStranger(clients, record));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const owners = new Map(rows.map(({ id, principal }) => [id, principal]));
  for (let by = 0; by < clients.principals; by += 1) {
    for (const taskId of await clients.list(by)) {
      looks.push({ taskId, owner: owners.get(taskId) ?? null, by, end: null, how: 'list' });
    }
  }
  return { tasks, looks };
}

async function lookAsStranger(
  clients: ChaosClients,
  { plan, taskId }: TaskRecord,
): Promise<ForeignLook> {
  const by = (plan.principal + 1) % clients.principals;
  // In the era the task does not come from: the row is the same in both.
  const era = plan.era === 'legacy' ? 'modern' : 'legacy';
  const end = await clients.apiOf({ principal: by, era }).look(taskId);
  return { taskId, owner: plan.principal, by, end, how: 'get' };
}
