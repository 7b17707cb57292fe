import type { Requirement } from './requirement.ts';

/** tasks/get, tasks/list, and errors of both. */
export const READING = [
  {
    id: 'tasks-get-task',
    section: 'schema#gettaskresult',
    level: 'MUST',
    sentence: 'The response to a tasks/get request.',
    checkable: true,
    note: 'GetTaskResult is Result & Task: the task is not nested.',
  },
  {
    id: 'tasks-get-no-stream',
    section: 'basic/utilities/tasks#input-required-status',
    level: 'SHOULD',
    sentence:
      'Where possible, servers SHOULD NOT upgrade to an SSE stream in response to a tasks/get request, as the client has indicated it wishes to poll for a result.',
    checkable: true,
  },
  {
    id: 'tasks-answers-no-related-task',
    section: 'basic/utilities/tasks#associating-task-related-messages',
    level: 'SHOULD',
    sentence:
      'Similarly, for the tasks/get, tasks/list, and tasks/cancel operations, receivers SHOULD NOT include io.modelcontextprotocol/related-task metadata in the result messages, as the taskId is already present in the response structure.',
    checkable: true,
  },
  {
    id: 'tasks-related-task-ignored',
    section: 'basic/utilities/tasks#associating-task-related-messages',
    level: 'MUST',
    sentence:
      'Requestors SHOULD NOT include io.modelcontextprotocol/related-task metadata in these requests, and receivers MUST ignore such metadata if present in favor of the RPC method parameter.',
    checkable: true,
  },
  {
    id: 'tasks-unknown-task',
    section: 'basic/utilities/tasks#protocol-errors',
    level: 'MUST',
    sentence:
      'Invalid or nonexistent taskId in tasks/get, tasks/result, or tasks/cancel: -32602 (Invalid params)',
    checkable: true,
  },
  {
    id: 'tasks-internal-error',
    section: 'basic/utilities/tasks#protocol-errors',
    level: 'MUST',
    sentence: 'Internal errors: -32603 (Internal error)',
    checkable: false,
    reason: 'A client can not make a server fail inside.',
  },
  {
    id: 'tasks-error-informative',
    section: 'basic/utilities/tasks#protocol-errors',
    level: 'SHOULD',
    sentence:
      'Receivers SHOULD provide informative error messages to describe the cause of errors.',
    checkable: true,
    note: 'Checked as: the message is not empty.',
  },
  {
    id: 'tasks-list-tasks',
    section: 'schema#listtasksresult',
    level: 'MUST',
    sentence: 'The response to a tasks/list request.',
    checkable: true,
    note: '{tasks: Task[], nextCursor?: string}',
  },
  {
    id: 'tasks-list-complete',
    section: 'basic/utilities/tasks#task-listing',
    level: 'MUST',
    sentence:
      'If a task is retrievable via tasks/get for a requestor, it MUST be retrievable via tasks/list for that requestor.',
    checkable: true,
  },
  {
    id: 'tasks-list-paginates',
    section: 'basic/utilities/tasks#task-listing',
    level: 'SHOULD',
    sentence:
      'Receivers SHOULD use cursor-based pagination to limit the number of tasks returned in a single response.',
    checkable: false,
    reason: 'A page may be larger than any number of tasks a check creates.',
  },
  {
    id: 'tasks-list-next-cursor',
    section: 'basic/utilities/tasks#task-listing',
    level: 'MUST',
    sentence: 'Receivers MUST include a nextCursor in the response if more tasks are available.',
    checkable: true,
  },
  {
    id: 'tasks-list-invalid-cursor',
    section: 'basic/utilities/tasks#protocol-errors',
    level: 'MUST',
    sentence: 'Invalid or nonexistent cursor in tasks/list: -32602 (Invalid params)',
    checkable: true,
  },
  {
    id: 'pagination-stable-cursors',
    section: 'server/utilities/pagination#implementation-guidelines',
    level: 'SHOULD',
    sentence: 'Provide stable cursors',
    checkable: true,
    note: 'Checked as: the same cursor gives the same page again while nothing changes.',
  },
] as const satisfies readonly Requirement[];
