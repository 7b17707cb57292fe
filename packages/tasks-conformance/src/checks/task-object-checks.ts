import { expect } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { type JsonObject, show } from '../wire/json.ts';
import { isTtl } from './creation-checks.ts';
import { listedTask } from './list-pages.ts';

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;
const STATUSES: readonly unknown[] = [
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
];

/** A task as one answer shows it. */
interface Sight {
  /** The method whose answer it is. */
  readonly where: string;
  readonly task: JsonObject;
}

/** One task in every answer that shows tasks, in the order of the answers. */
async function seeEverywhere(scene: Scene): Promise<Sight[]> {
  const session = await scene.open();
  const task = await scene.startLong(session);
  const sights: Sight[] = [
    { where: 'tools/call', task: task.created },
    { where: 'tasks/get', task: await task.get() },
  ];
  if (scene.declares('list')) {
    const listed = await listedTask(session, task.id);
    if (listed !== null) sights.push({ where: 'tasks/list', task: listed });
  }
  if (scene.declares('cancel')) {
    const { result } = await task.cancel();
    if (result !== undefined) sights.push({ where: 'tasks/cancel', task: result });
  }
  return sights;
}

export const TASK_OBJECT_CHECKS: readonly Check[] = [
  {
    id: 'tasks-created-at',
    verifies: 'tasks-created-at',
    needs: ['slow'],
    async run(scene) {
      const sights = await seeEverywhere(scene);
      const moments = sights.map(({ where, task }) => timeOf(where, task, 'createdAt'));
      expect(
        new Set(moments).size === 1,
        `createdAt of one task differs: ${show(sights.map(({ task }) => task['createdAt']))}`,
      );
    },
  },
  {
    id: 'tasks-last-updated-at',
    verifies: 'tasks-last-updated-at',
    needs: ['slow'],
    async run(scene) {
      let last = Number.NEGATIVE_INFINITY;
      for (const { where, task } of await seeEverywhere(scene)) {
        const updated = timeOf(where, task, 'lastUpdatedAt');
        const created = Date.parse(String(task['createdAt']));
        expect(!(updated < created), `${where}: lastUpdatedAt is before createdAt`);
        expect(updated >= last, `${where}: lastUpdatedAt is earlier than it was`);
        last = updated;
      }
    },
  },
  {
    id: 'tasks-ttl-everywhere',
    verifies: 'tasks-ttl-everywhere',
    needs: ['slow'],
    async run(scene) {
      for (const { where, task } of await seeEverywhere(scene)) {
        if (where === 'tasks/get') continue;
        expect(isTtl(task['ttl']), `${where}: ttl is ${show(task['ttl'])}`);
      }
    },
  },
  {
    id: 'tasks-status-values',
    verifies: 'tasks-status-values',
    needs: ['slow'],
    async run(scene) {
      for (const { where, task } of await seeEverywhere(scene)) {
        expect(STATUSES.includes(task['status']), `${where}: status ${show(task['status'])}`);
      }
    },
  },
];

function timeOf(where: string, task: JsonObject, member: string): number {
  const value = task[member];
  const time = typeof value === 'string' && RFC_3339.test(value) ? Date.parse(value) : Number.NaN;
  expect(!Number.isNaN(time), `${where}: ${member} is ${show(value)}, no ISO 8601 timestamp`);
  return time;
}
