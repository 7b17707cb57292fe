/** Where what belongs to tasks is read; HTTP has the same paths under /tasks/. */
export const TASK_URI_PREFIX = 'longshore://tasks/';

/** Of the items of a task's batches, with a query of what is wanted. */
export function itemsUri(taskId: string, query: Readonly<Record<string, string>> = {}): string {
  const text = new URLSearchParams(query).toString();
  return `${TASK_URI_PREFIX}${taskId}/items${text === '' ? '' : `?${text}`}`;
}
