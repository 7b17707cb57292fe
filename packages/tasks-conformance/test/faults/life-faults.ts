import type { Fault } from './fault.ts';
import { errorOf, resultOf, without } from './rewrite.ts';

const related = (taskId: unknown) => ({
  'io.modelcontextprotocol/related-task': { taskId },
});

/** Tasks as they change, end, expire and are read. */
export const LIFE_FAULTS: readonly Fault[] = [
  {
    name: 'notifies of working after completed',
    breaks: 'tasks-transitions',
    found: ['tasks-transitions'],
    outgoing: (message) =>
      message.method === 'notifications/tasks/status' && message.params?.['status'] === 'completed'
        ? [message, { ...message, params: { ...message.params, status: 'working' } }]
        : [message],
  },
  {
    name: 'shows an ended task as working once',
    breaks: 'tasks-terminal-final',
    found: ['tasks-terminal-final'],
    switches: ['the end is not the end'],
  },
  {
    name: 'shows tasks that succeeded as failed',
    breaks: 'tasks-completed',
    found: ['tasks-completed'],
    answer: resultOf('tasks/get', (task) =>
      task['status'] === 'completed' ? { ...task, status: 'failed' } : task,
    ),
  },
  {
    name: 'completes tasks whose result has isError',
    breaks: 'tasks-failed-tool-error',
    found: ['tasks-failed-tool-error'],
    switches: ['tool errors complete'],
    answer: resultOf('tasks/get', (task) => ({ ...task, statusMessage: 'It failed.' })),
  },
  {
    name: 'completes tasks that end as a JSON-RPC error',
    breaks: 'tasks-failed-protocol-error',
    found: ['tasks-failed-protocol-error'],
    switches: ['protocol errors complete'],
  },
  {
    name: 'does not say why a task failed',
    breaks: 'tasks-failed-status-message',
    found: ['tasks-failed-status-message'],
    answer: resultOf('tasks/get', (task) => without(task, 'statusMessage')),
  },
  {
    name: 'lets go of tasks in half their ttl',
    breaks: 'tasks-ttl-not-early',
    found: ['tasks-ttl-not-early'],
    switches: ['expires early'],
  },
  {
    name: 'lets go of tasks in half their ttl, and is slow to create them',
    breaks: 'tasks-ttl-not-early',
    found: ['tasks-ttl-not-early'],
    switches: ['expires early', 'takes time to create tasks'],
  },
  {
    name: 'answers -32603 for expired tasks',
    breaks: 'tasks-expired-error',
    found: ['tasks-expired-error'],
    switches: ['expired is an internal error'],
  },
  {
    name: 'keeps tasks for ever',
    breaks: 'tasks-expired-cleaned',
    found: ['tasks-expired-cleaned'],
    skips: ['tasks-expired-error'],
    switches: ['kept for ever'],
  },
  {
    name: 'nests the task in tasks/get',
    breaks: 'tasks-get-task',
    found: ['tasks-get-task'],
    skips: 'any',
    answer: resultOf('tasks/get', (task) => ({ task })),
  },
  {
    name: 'answers tasks/get on a stream',
    breaks: 'tasks-get-no-stream',
    found: ['tasks-get-no-stream'],
    switches: ['stream for tasks/get'],
  },
  ...['tasks/get', 'tasks/list', 'tasks/cancel'].map(
    (method): Fault => ({
      name: `sends related-task metadata with ${method}`,
      breaks: 'tasks-answers-no-related-task',
      found: ['tasks-answers-no-related-task'],
      answer: resultOf(method, (result) => ({ ...result, _meta: related('x') })),
    }),
  ),
  ...(['get', 'result', 'cancel'] as const).map(
    (operation): Fault => ({
      name: `takes the task of the metadata in tasks/${operation}`,
      breaks: 'tasks-related-task-ignored',
      found: ['tasks-related-task-ignored'],
      switches: [`trusts metadata in ${operation}`],
      ...(operation === 'result' ? { hangs: true } : {}),
    }),
  ),
  ...(['get', 'result', 'cancel'] as const).map(
    (operation): Fault => ({
      name: `answers -32600 to tasks/${operation} of an id that is none`,
      breaks: 'tasks-unknown-task',
      found: [`tasks-unknown-task/${operation}`],
      answer: errorOf(`tasks/${operation}`, (answer, { params }) =>
        params['taskId'] === 'no such task'
          ? { ...answer, error: { code: -32600, message: 'Malformed id' } }
          : answer,
      ),
    }),
  ),
  {
    name: 'has no words for unknown tasks',
    breaks: 'tasks-error-informative',
    found: ['tasks-error-informative'],
    answer: errorOf('tasks/get', (answer) => ({ ...answer, error: { code: -32602, message: '' } })),
  },
  {
    name: 'ends the list with a nextCursor of null',
    breaks: 'tasks-list-tasks',
    found: ['tasks-list-tasks'],
    answer: resultOf('tasks/list', (page) => ({ nextCursor: null, ...page })),
  },
  {
    name: 'leaves cancelled tasks out of tasks/list',
    breaks: 'tasks-list-complete',
    found: ['tasks-list-complete'],
    answer: resultOf('tasks/list', (page) => ({
      ...page,
      tasks: (page['tasks'] as { status: string }[]).filter(({ status }) => status !== 'cancelled'),
    })),
  },
  {
    name: 'has one page of tasks/list only',
    breaks: 'tasks-list-next-cursor',
    found: ['tasks-list-next-cursor'],
    skips: ['pagination-stable-cursors'],
    answer: resultOf('tasks/list', (page) => without(page, 'nextCursor')),
  },
  {
    name: 'accepts a cursor once',
    breaks: 'pagination-stable-cursors',
    found: ['pagination-stable-cursors'],
    switches: ['cursors work once'],
  },
  {
    name: 'takes an invalid cursor for the start',
    breaks: 'tasks-list-invalid-cursor',
    found: ['tasks-list-invalid-cursor'],
    switches: ['any cursor will do'],
  },
];
