import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { canonical, show } from '../wire/json.ts';
import type { Session } from '../wire/session.ts';
import { listedIds, listPage } from './list-pages.ts';

const INVALID_PARAMS = -32602;
/** Tasks are added until a page is full, up to so many. */
const MAX_TASKS = 120;
const TASKS_AT_ONCE = 20;

export const LIST_CHECKS: readonly Check[] = [
  {
    id: 'tasks-list-tasks',
    verifies: 'tasks-list-tasks',
    needs: ['slow'],
    operations: ['list'],
    async run(scene) {
      const session = await scene.open();
      await scene.start(session, 'slow', { ms: 0 });
      const { nextCursor } = await listPage(session);
      expect(
        nextCursor === undefined || typeof nextCursor === 'string',
        `nextCursor is ${show(nextCursor)}`,
      );
    },
  },
  {
    id: 'tasks-list-complete',
    verifies: 'tasks-list-complete',
    needs: ['slow'],
    operations: ['list'],
    async run(scene) {
      const session = await scene.open();
      const tasks = [await scene.startAndEnd(session), await scene.startLong(session)];
      if (scene.declares('cancel')) {
        const cancelled = await scene.startLong(session);
        await cancelled.cancel();
        const { result } = await session.call('tasks/get', { taskId: cancelled.id });
        if (result !== undefined) tasks.push(cancelled);
      }
      const listed = await listedIds(session);
      for (const task of tasks) {
        const { status } = await task.get();
        expect(
          listed.includes(task.id),
          `tasks/list has no task ${task.id}, which tasks/get shows as ${show(status)}`,
        );
      }
    },
  },
  {
    id: 'tasks-list-next-cursor',
    verifies: 'tasks-list-next-cursor',
    needs: ['slow'],
    operations: ['list'],
    async run(scene) {
      const { session, ids } = await fillPage(scene);
      const listed = await listedIds(session);
      const missing = ids.filter((id) => !listed.includes(id));
      expect(
        missing.length === 0,
        `of ${ids.length} tasks ${missing.length} are on no page, and the last page has no nextCursor`,
      );
    },
  },
  {
    id: 'pagination-stable-cursors',
    verifies: 'pagination-stable-cursors',
    needs: ['slow'],
    operations: ['list'],
    async run(scene) {
      const { session } = await fillPage(scene);
      const { nextCursor } = await listPage(session);
      if (nextCursor === undefined) skip(`${MAX_TASKS} tasks fit on one page`);
      const idsOnPage = async (): Promise<string> => {
        const page = await session.call('tasks/list', { cursor: nextCursor });
        const tasks = page.result?.['tasks'];
        expect(Array.isArray(tasks), `a cursor asked for again answered ${show(page)}`);
        return canonical(tasks.map((task: { taskId: unknown }) => task.taskId));
      };
      const first = await idsOnPage();
      expect(first === (await idsOnPage()), 'a cursor gives another page when asked for again');
    },
  },
  {
    id: 'tasks-list-invalid-cursor',
    verifies: 'tasks-list-invalid-cursor',
    needs: [],
    operations: ['list'],
    async run(scene) {
      const session = await scene.open();
      for (const cursor of ['no such cursor', 'bm8gc3VjaCBjdXJzb3I', '', 7]) {
        const { result, error } = await session.call('tasks/list', { cursor });
        expect(
          error?.code === INVALID_PARAMS,
          `cursor ${show(cursor)} answered ${show(result ?? error)}, not -32602`,
        );
      }
    },
  },
];

/** Creates ended tasks until there is a second page. */
async function fillPage(scene: Scene): Promise<{ session: Session; ids: string[] }> {
  const session = await scene.open();
  const ids: string[] = [];
  while (ids.length < MAX_TASKS) {
    const tasks = await Promise.all(
      Array.from({ length: TASKS_AT_ONCE }, () => scene.startAndEnd(session)),
    );
    ids.push(...tasks.map(({ id }) => id));
    if ((await listPage(session)).nextCursor !== undefined) break;
  }
  return { session, ids };
}
