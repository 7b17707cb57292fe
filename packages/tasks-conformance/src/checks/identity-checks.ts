import { expect, skip, Violation } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import type { StartedTask } from '../tasks/started-task.ts';
import { at, show } from '../wire/json.ts';
import type { Session } from '../wire/session.ts';

const MANY = 20;
/** Random ids have far more; counters and clocks have less than half. */
const MIN_BITS = 48;

export const IDENTITY_CHECKS: readonly Check[] = [
  {
    id: 'tasks-id-string',
    verifies: 'tasks-id-string',
    needs: ['slow'],
    async run(scene) {
      const { id } = await scene.start(await scene.open(), 'slow', { ms: 0 });
      expect(typeof id === 'string' && id !== '', `taskId is ${show(id)}`);
    },
  },
  {
    id: 'tasks-id-generated',
    verifies: 'tasks-id-generated',
    needs: ['slow'],
    async run(scene) {
      const proposed = `proposed-${crypto.randomUUID()}`;
      const session = await scene.open();
      const params = {
        ...scene.call('slow', { ms: 0 }),
        task: { ttl: 60_000, taskId: proposed },
      };
      const { result } = await session.call('tools/call', params);
      if (result === undefined) skip('the server refuses unknown members of params.task');
      expect(
        at(result, 'task', 'taskId') !== proposed,
        'the id that params.task proposed was taken',
      );
    },
  },
  {
    id: 'tasks-id-unique',
    verifies: 'tasks-id-unique',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const ids = await createAtOnce(scene, session, { ms: scene.timing.taskMs });
      const distinct = new Set(ids).size;
      expect(distinct === ids.length, `${ids.length} tasks at once have ${distinct} ids`);
    },
  },
  {
    id: 'tasks-id-entropy',
    verifies: 'tasks-id-entropy',
    needs: ['slow'],
    async run(scene) {
      if (scene.hasCredentials) skip('tasks are bound to credentials (--header)');
      const session = await scene.open();
      const ids = await createAtOnce(scene, session, { ms: 0 });
      const bits = Math.round(estimateBits(ids.map(String)));
      expect(
        bits >= MIN_BITS,
        `ids such as ${ids.slice(0, 3).join(', ')} show about ${bits} bits, not ${MIN_BITS} or more`,
      );
    },
  },
  {
    id: 'tasks-result-exact/many',
    verifies: 'tasks-result-exact',
    needs: ['slow'],
    async run(scene) {
      const session = await scene.open();
      const started = await Promise.all(
        Array.from({ length: MANY }, async (_, index) => {
          const task = await startOrNull(scene, session, { ms: index });
          return task === null ? null : { index, task };
        }),
      );
      const running = started.filter((entry) => entry !== null);
      if (running.length < 2) skip('the server accepts no two tasks at once');
      const outcomes = await Promise.all(
        running.map(async ({ index, task }) => {
          const { result, error } = await task.outcome();
          expect(result !== undefined, `task of ${index} ms ended as ${show(error)}`);
          return JSON.stringify(result['content']);
        }),
      );
      const distinct = new Set(outcomes).size;
      const wanted = `${outcomes.length} tasks with different arguments`;
      expect(distinct === outcomes.length, `${wanted} have ${distinct} different results`);
    },
  },
];

async function createAtOnce(scene: Scene, session: Session, args: { ms: number }) {
  const tasks = await Promise.all(
    Array.from({ length: MANY }, () => startOrNull(scene, session, args)),
  );
  const ids = tasks.flatMap((task) => (task === null ? [] : [task.id]));
  if (ids.length < 2) skip('the server accepts no two tasks at once');
  return ids;
}

/** Null when the server refuses: it may limit concurrent tasks, and has no code of its own for that. */
async function startOrNull(
  scene: Scene,
  session: Session,
  args: { ms: number },
): Promise<StartedTask | null> {
  try {
    return await scene.start(session, 'slow', args);
  } catch (error) {
    if (error instanceof Violation && !scene.signal.aborted) return null;
    throw error;
  }
}

/** Sums up, over the places of the ids, how many characters were seen there. */
function estimateBits(ids: readonly string[]): number {
  const length = Math.max(...ids.map((id) => id.length));
  let bits = 0;
  for (let place = 0; place < length; place += 1) {
    bits += Math.log2(new Set(ids.map((id) => id[place])).size);
  }
  return bits;
}
