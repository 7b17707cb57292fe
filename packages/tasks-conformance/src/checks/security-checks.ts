import { expect, skip } from '../manifest/violation.ts';
import type { Check } from '../scene/check.ts';
import type { Scene } from '../scene/scene.ts';
import { isTerminal } from '../tasks/started-task.ts';
import { canonical, show } from '../wire/json.ts';
import type { JsonRpcError } from '../wire/json-rpc.ts';
import { listedIds } from './list-pages.ts';

const INVALID_PARAMS = -32602;
const UNBOUND =
  'the server binds tasks to no requestor it could tell from another; give --other-header';

export const SECURITY_CHECKS: readonly Check[] = [
  ...(['get', 'result', 'cancel'] as const).map(
    (operation): Check => ({
      id: `tasks-context-bound/${operation}`,
      verifies: 'tasks-context-bound',
      needs: ['slow'],
      ...(operation === 'cancel' ? { operations: ['cancel'] } : {}),
      async run(scene) {
        requireOther(scene);
        const session = await scene.open();
        const task =
          operation === 'cancel'
            ? await scene.startLong(session)
            : await scene.startAndEnd(session);
        const other = await scene.openOther();
        const method = `tasks/${operation}`;
        const { result, error } = await other.call(method, { taskId: task.id });
        if (result !== undefined && !scene.hasOther) skip(UNBOUND);
        expect(
          error?.code === INVALID_PARAMS,
          `${method} of somebody else's task answered ${show(result ?? error)}, not -32602`,
        );
        const { status } = await task.get();
        expect(
          operation !== 'cancel' || !isTerminal(status),
          `somebody else made the task ${show(status)}`,
        );
      },
    }),
  ),
  {
    id: 'tasks-foreign-indistinguishable',
    verifies: 'tasks-foreign-indistinguishable',
    needs: ['slow'],
    async run(scene) {
      requireOther(scene);
      const task = await scene.startAndEnd(await scene.open());
      const other = await scene.openOther();
      const unknown = unlike(task.id);
      const foreign = (await other.call('tasks/get', { taskId: task.id })).error;
      const none = (await other.call('tasks/get', { taskId: unknown })).error;
      if (foreign === undefined) skip(UNBOUND);
      expect(
        withoutId(foreign, task.id) === withoutId(none, unknown),
        `somebody else's task answers ${show(foreign)}, an unknown one ${show(none)}`,
      );
    },
  },
  {
    id: 'tasks-list-context',
    verifies: 'tasks-list-context',
    needs: ['slow'],
    operations: ['list'],
    async run(scene) {
      requireOther(scene);
      const lists = await listsForeignTask(scene);
      if (lists && !scene.hasOther) skip(UNBOUND);
      expect(!lists, "tasks/list has somebody else's task");
    },
  },
  {
    id: 'tasks-list-undeclared',
    verifies: 'tasks-list-undeclared',
    needs: ['slow'],
    operations: ['list'],
    async run(scene) {
      if (scene.hasCredentials) skip('requestors are identified by credentials (--header)');
      expect(
        !(await listsForeignTask(scene)),
        'tasks.list is declared, and a second session lists the task of the first',
      );
    },
  },
];

function requireOther(scene: Scene): void {
  if (scene.hasCredentials && !scene.hasOther) {
    skip('one set of credentials is one requestor: give --other-header');
  }
}

async function listsForeignTask(scene: Scene): Promise<boolean> {
  const task = await scene.startAndEnd(await scene.open());
  return (await listedIds(await scene.openOther())).includes(task.id);
}

/** An id of the same form that no task has. */
function unlike(id: string): string {
  const other: Readonly<Record<string, string>> = { a: 'b', b: 'a', '1': '2', '2': '1', '3': '4' };
  return [...String(id)].map((char) => other[char] ?? char).join('');
}

function withoutId(error: JsonRpcError | undefined, id: string): string {
  return canonical(error).replaceAll(id, '<id>');
}
