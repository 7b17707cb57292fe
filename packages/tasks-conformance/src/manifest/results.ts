import type { Requirement } from './requirement.ts';

/** tasks/result and tasks/cancel. */
export const RESULTS = [
  {
    id: 'tasks-result-terminal',
    section: 'basic/utilities/tasks#result-retrieval',
    level: 'MUST',
    sentence:
      'When a receiver receives a tasks/result request for a task in a terminal status (completed, failed, or cancelled), it MUST return the final result of the underlying request, whether that is a successful result or a JSON-RPC error.',
    checkable: true,
    note: 'Also when it is asked again.',
  },
  {
    id: 'tasks-result-blocks',
    section: 'basic/utilities/tasks#result-retrieval',
    level: 'MUST',
    sentence:
      'When a receiver receives a tasks/result request for a task in any other non-terminal status (working or input_required), it MUST block the response until the task reaches a terminal status.',
    checkable: true,
  },
  {
    id: 'tasks-result-exact',
    section: 'basic/utilities/tasks#result-retrieval',
    level: 'MUST',
    sentence:
      'For tasks in a terminal status, receivers MUST return from tasks/result exactly what the underlying request would have returned, whether that is a successful result or a JSON-RPC error.',
    checkable: true,
    note: 'Compared with a plain call of the same tool; _meta is left out of the comparison.',
  },
  {
    id: 'tasks-result-tool-error',
    section: 'basic/utilities/tasks#task-execution-errors',
    level: 'MUST',
    sentence:
      'If the request completed with a JSON-RPC response, tasks/result MUST return a successful JSON-RPC response containing that result.',
    checkable: true,
    note: 'Checked for a CallToolResult with isError.',
  },
  {
    id: 'tasks-result-protocol-error',
    section: 'basic/utilities/tasks#task-execution-errors',
    level: 'MUST',
    sentence:
      'If the underlying request resulted in a JSON-RPC error, tasks/result MUST return that same JSON-RPC error.',
    checkable: true,
    note: 'Compared with a plain call; error.data may have members more, such as related-task metadata.',
  },
  {
    id: 'tasks-result-related-task',
    section: 'basic/utilities/tasks#related-task-metadata',
    level: 'MUST',
    sentence:
      'The tasks/result operation MUST include this metadata in its response, as the result structure itself does not contain the task ID.',
    checkable: true,
  },
  {
    id: 'tasks-result-parallel-get',
    section: 'basic/utilities/tasks#retrieving-task-results',
    level: 'MUST',
    sentence:
      'While tasks/result blocks until the task reaches a terminal status, requestors can continue polling via tasks/get in parallel if they are not actively blocked waiting for the result, such as if their previous tasks/result request failed or was cancelled.',
    checkable: true,
    note: 'No RFC 2119 word.',
  },
  {
    id: 'tasks-result-disconnect',
    section: 'basic/transports#sending-messages-to-the-server',
    level: 'SHOULD',
    sentence: 'Disconnection SHOULD NOT be interpreted as the client cancelling its request.',
    checkable: true,
    note: 'Checked for tasks/result: the task goes on.',
  },
  {
    id: 'tasks-result-cancelled',
    section: 'basic/utilities/tasks#result-retrieval',
    level: 'SHOULD',
    sentence:
      'When a receiver receives a tasks/result request for a task in a terminal status (completed, failed, or cancelled), it MUST return the final result of the underlying request, whether that is a successful result or a JSON-RPC error.',
    checkable: true,
    note: 'A cancelled request has no result of its own. Read as: a JSON-RPC error, not an invented result.',
  },
  {
    id: 'tasks-cancel-first',
    section: 'basic/utilities/tasks#task-cancellation',
    level: 'MUST',
    sentence:
      'Upon receiving a valid cancellation request, receivers SHOULD attempt to stop the task execution and MUST transition the task to cancelled status before sending the response.',
    checkable: true,
    note: 'The answer is a flat task with status cancelled, and tasks/get says the same right after it.',
  },
  {
    id: 'tasks-cancel-stops',
    section: 'basic/utilities/tasks#task-cancellation',
    level: 'SHOULD',
    sentence:
      'Upon receiving a valid cancellation request, receivers SHOULD attempt to stop the task execution and MUST transition the task to cancelled status before sending the response.',
    checkable: false,
    reason: 'Work that goes on inside is not seen on the wire; its messages are (progress-stops).',
  },
  {
    id: 'tasks-cancel-terminal',
    section: 'basic/utilities/tasks#task-cancellation',
    level: 'MUST',
    sentence:
      'Receivers MUST reject cancellation requests for tasks already in a terminal status (completed, failed, or cancelled) with error code -32602 (Invalid params).',
    checkable: true,
  },
  {
    id: 'tasks-cancel-sticks',
    section: 'basic/utilities/tasks#task-cancellation',
    level: 'MUST',
    sentence:
      'Once a task is cancelled, it MUST remain in cancelled status even if execution continues to completion or fails.',
    checkable: true,
  },
  {
    id: 'tasks-cancel-deletes',
    section: 'basic/utilities/tasks#task-cancellation',
    level: 'MAY',
    sentence:
      'However, receivers MAY delete cancelled tasks at their discretion at any time, including immediately after cancellation or after the task ttl expires.',
    checkable: false,
    reason: 'An option; checks take an unknown task for an answer after a cancellation.',
  },
  {
    id: 'cancellation-not-for-tasks',
    section: 'basic/utilities/cancellation#behavior-requirements',
    level: 'MUST',
    sentence:
      'For task-augmented requests, the tasks/cancel request MUST be used instead of the notifications/cancelled notification.',
    checkable: true,
    note: 'notifications/cancelled of a tasks/result ends the wait only; of the call that made the task, nothing.',
  },
  {
    id: 'cancellation-no-response',
    section: 'basic/utilities/cancellation#behavior-requirements',
    level: 'SHOULD',
    sentence: 'Not send a response for the cancelled request',
    checkable: true,
    note: 'Checked for a tasks/result that waits.',
  },
  {
    id: 'cancellation-invalid-ignored',
    section: 'basic/utilities/cancellation#error-handling',
    level: 'SHOULD',
    sentence: 'Invalid cancellation notifications SHOULD be ignored:',
    checkable: true,
    note: 'Unknown ids, finished requests and malformed notifications leave the session as it is.',
  },
] as const satisfies readonly Requirement[];
