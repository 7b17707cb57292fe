import type { Requirement } from './requirement.ts';

const OPERATION = 'How a server is operated and documented is not seen on the wire.';

/** Whose task it is, and what operators owe. */
export const SECURITY = [
  {
    id: 'tasks-context-bound',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'MUST',
    sentence:
      'If context-binding is available, receivers MUST reject tasks/get, tasks/result, and tasks/cancel requests for tasks that do not belong to the same authorization context as the requestor.',
    checkable: true,
    note: 'With the credentials of --other-header. Without, a second session stands for another requestor, and a server that binds tasks to none is not checked.',
  },
  {
    id: 'tasks-list-context',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'MUST',
    sentence:
      "For tasks/list requests, receivers MUST ensure the returned task list includes only tasks associated with the requestor's authorization context.",
    checkable: true,
    note: 'As tasks-context-bound.',
  },
  {
    id: 'tasks-foreign-indistinguishable',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'SHOULD',
    sentence:
      'Without proper access controls, any party that can guess or obtain a task ID could potentially access sensitive information or manipulate tasks they did not create.',
    checkable: true,
    note: 'No RFC 2119 word. An error other than that of an unknown task tells that the task exists.',
  },
  {
    id: 'tasks-list-undeclared',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'SHOULD',
    sentence:
      'Furthermore, receivers that cannot identify requestors SHOULD NOT declare the tasks.list capability, as listing tasks would expose task metadata to any requestor regardless of task ID entropy.',
    checkable: true,
    note: 'Without credentials, a second session does not list the tasks of the first.',
  },
  {
    id: 'tasks-bound-to-context',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'MUST',
    sentence:
      'When an authorization context is provided, receivers MUST bind tasks to said context.',
    checkable: false,
    reason: 'Its effect is tasks-context-bound and tasks-list-context.',
  },
  {
    id: 'tasks-limitation-documented',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'SHOULD',
    sentence:
      'In these scenarios, receivers SHOULD document this limitation clearly, as task results may be accessible to any requestor that can guess the task ID.',
    checkable: false,
    reason: OPERATION,
  },
  {
    id: 'tasks-rate-limit',
    section: 'basic/utilities/tasks#task-isolation-and-access-control',
    level: 'SHOULD',
    sentence:
      'Additionally, receivers SHOULD implement rate limiting on task operations to prevent denial-of-service and enumeration attacks.',
    checkable: false,
    reason: 'Limits differ by orders of magnitude, and finding one means attacking the server.',
  },
  {
    id: 'tasks-concurrency-limit',
    section: 'basic/utilities/tasks#resource-management',
    level: 'SHOULD',
    sentence: 'Enforce limits on concurrent tasks per requestor',
    checkable: false,
    reason: 'Limits differ by orders of magnitude, and finding one means loading the server.',
  },
  {
    id: 'tasks-max-ttl-documented',
    section: 'basic/utilities/tasks#resource-management',
    level: 'SHOULD',
    sentence: 'Document maximum supported ttl duration',
    checkable: false,
    reason: OPERATION,
  },
  {
    id: 'tasks-concurrency-documented',
    section: 'basic/utilities/tasks#resource-management',
    level: 'SHOULD',
    sentence: 'Document maximum concurrent tasks per requestor',
    checkable: false,
    reason: OPERATION,
  },
  {
    id: 'tasks-monitoring',
    section: 'basic/utilities/tasks#resource-management',
    level: 'SHOULD',
    sentence: 'Implement monitoring and alerting for resource usage',
    checkable: false,
    reason: OPERATION,
  },
  {
    id: 'tasks-audit',
    section: 'basic/utilities/tasks#audit-and-logging',
    level: 'SHOULD',
    sentence: 'Log task creation, completion, and retrieval events for audit purposes',
    checkable: false,
    reason: OPERATION,
  },
  {
    id: 'tasks-audit-context',
    section: 'basic/utilities/tasks#audit-and-logging',
    level: 'SHOULD',
    sentence: 'Include auth context in logs when available',
    checkable: false,
    reason: OPERATION,
  },
  {
    id: 'tasks-suspicious-patterns',
    section: 'basic/utilities/tasks#audit-and-logging',
    level: 'SHOULD',
    sentence: 'Monitor for suspicious patterns (e.g., many failed task lookups, excessive polling)',
    checkable: false,
    reason: OPERATION,
  },
] as const satisfies readonly Requirement[];
