import type { Requirement } from './requirement.ts';

/** How tasks change, end and expire. */
export const LIFE = [
  {
    id: 'tasks-transitions',
    section: 'basic/utilities/tasks#task-status-lifecycle',
    level: 'MUST',
    sentence: 'Receivers MUST only transition tasks through the following valid paths:',
    checkable: true,
    note: 'Followed through status notifications, in their order on one stream.',
  },
  {
    id: 'tasks-terminal-final',
    section: 'basic/utilities/tasks#task-status-lifecycle',
    level: 'MUST',
    sentence:
      'Tasks with a completed, failed, or cancelled status are in a terminal state and MUST NOT transition to any other status',
    checkable: true,
  },
  {
    id: 'tasks-completed',
    section: 'basic/utilities/tasks#task-status',
    level: 'MUST',
    sentence: 'completed: The request completed successfully and results are available.',
    checkable: true,
    note: 'No RFC 2119 word.',
  },
  {
    id: 'tasks-failed-tool-error',
    section: 'basic/utilities/tasks#task-execution-errors',
    level: 'SHOULD',
    sentence:
      'For tasks that wrap tool call requests, when the tool result has isError set to true, the task should reach failed status.',
    checkable: true,
  },
  {
    id: 'tasks-failed-protocol-error',
    section: 'basic/utilities/tasks#task-execution-errors',
    level: 'MUST',
    sentence:
      'When the underlying request does not complete successfully, the task moves to the failed status. This includes JSON-RPC protocol errors during request execution, or for tool calls specifically, when the tool result has isError set to true.',
    checkable: true,
    note: 'No RFC 2119 word. Checked for JSON-RPC errors; isError is tasks-failed-tool-error.',
  },
  {
    id: 'tasks-failed-status-message',
    section: 'basic/utilities/tasks#task-execution-errors',
    level: 'SHOULD',
    sentence:
      'The tasks/get response SHOULD include a statusMessage field with diagnostic information about the failure.',
    checkable: true,
  },
  {
    id: 'tasks-ttl-not-early',
    section: 'basic/utilities/tasks#task',
    level: 'MUST',
    sentence: 'ttl: Time in milliseconds from creation before task may be deleted',
    checkable: true,
    note: 'No RFC 2119 word. Checked with a short ttl, where the server grants it.',
  },
  {
    id: 'tasks-expired-error',
    section: 'basic/utilities/tasks#protocol-errors',
    level: 'MUST',
    sentence:
      'Invalid or nonexistent taskId in tasks/get, tasks/result, or tasks/cancel: -32602 (Invalid params)',
    checkable: true,
    note: 'For a task whose ttl is over and that the server has let go of.',
  },
  {
    id: 'tasks-expired-cleaned',
    section: 'basic/utilities/tasks#resource-management',
    level: 'SHOULD',
    sentence: 'Clean up expired tasks promptly to free resources',
    checkable: true,
    note: 'Promptly is read as: not retrievable ten settle times (--settle-ms) after its ttl.',
  },
  {
    id: 'tasks-max-ttl',
    section: 'basic/utilities/tasks#resource-management',
    level: 'SHOULD',
    sentence: 'Enforce maximum ttl durations to prevent indefinite resource retention',
    checkable: true,
    note: 'Checked by asking for a hundred years.',
  },
] as const satisfies readonly Requirement[];
