import type { OperatorEvent } from '@longshore/operator';
import type { TaskSearch } from '../state/searches.ts';
import { client } from './client.ts';
import { hasEnded } from './has-ended.ts';
import { queryClient, readAgain, taskQueryOf } from './queries.ts';
import type { TaskDetail, TaskPage, TaskSummary } from './types.ts';

type Change = Extract<OperatorEvent, { kind: 'tasks' }>['changed'][number];

/** Between two reads of the rows of a list. */
const READ_AGAIN_MS = 2_000;

let isDue = false;

/** Writes what an event says into the rows that are shown, at once, and reads those rows again soon. No row comes, goes or moves. */
export function patchTasks(changed: readonly Change[]): void {
  const byId = new Map(changed.map((change) => [change.id, change]));
  if (byId.size === 0) return;
  let isShown = false;
  queryClient.setQueriesData<TaskPage>({ queryKey: ['tasks'], type: 'active' }, (page) => {
    if (page === undefined || !page.tasks.some(({ id }) => byId.has(id))) return page;
    isShown = true;
    return { ...page, tasks: page.tasks.map((task) => changedTask(task, byId.get(task.id))) };
  });
  for (const [id, change] of byId) {
    queryClient.setQueryData<TaskDetail>(['task', id], (task) => task && changedTask(task, change));
    void readAgain(['task', id]);
  }
  if (!isShown || isDue) return;
  isDue = true;
  setTimeout(() => void readRowsAgain(), READ_AGAIN_MS);
}

/** A change that comes late does not bring a row back from its end. */
function changedTask<Task extends TaskSummary>(task: Task, change: Change | undefined): Task {
  if (change === undefined || hasEnded(task)) return task;
  return { ...task, phase: change.phase, progress: change.progress ?? task.progress };
}

async function readRowsAgain(): Promise<void> {
  const lists = queryClient.getQueryCache().findAll({ queryKey: ['tasks'], type: 'active' });
  await Promise.allSettled(
    lists.map(async ({ queryKey, state }) => {
      const shown = (state.data as TaskPage | undefined)?.tasks ?? [];
      const first = shown[0];
      if (first === undefined) return;
      const search = queryKey[1] as TaskSearch;
      // Up to the newest row of this page, so that the page of the answer is this page.
      const createdBefore = new Date(Date.parse(first.createdAt) + 1).toISOString();
      const { tasks } = await client('GET /tasks', {
        query: { ...taskQueryOf(search), createdBefore },
      });
      const fresh = new Map(tasks.map((task) => [task.id, task]));
      queryClient.setQueryData<TaskPage>(
        queryKey,
        (page) => page && { ...page, tasks: page.tasks.map((task) => fresh.get(task.id) ?? task) },
      );
    }),
  );
  isDue = false;
}
