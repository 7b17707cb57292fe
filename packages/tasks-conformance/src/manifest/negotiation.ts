import type { Requirement } from './requirement.ts';

/** Versions, capabilities, and which tools may be tasks. */
export const NEGOTIATION = [
  {
    id: 'lifecycle-version-echo',
    section: 'basic/lifecycle#version-negotiation',
    level: 'MUST',
    sentence:
      'If the server supports the requested protocol version, it MUST respond with the same version.',
    checkable: true,
    note: 'A server that does not support 2025-11-25 has no core tasks: nothing else is checked then.',
  },
  {
    id: 'lifecycle-negotiated-capabilities',
    section: 'basic/lifecycle#operation',
    level: 'MUST',
    sentence: 'Only use capabilities that were successfully negotiated',
    checkable: true,
    note: 'Checked for elicitation and sampling: a client that declares neither is asked neither.',
  },
  {
    id: 'tasks-capability-declared',
    section: 'basic/utilities/tasks#capabilities',
    level: 'MUST',
    sentence:
      'Servers and clients that support task-augmented requests MUST declare a tasks capability during initialization.',
    checkable: true,
    note: 'The runner is for servers with tasks.requests.tools.call; one without it fails here.',
  },
  {
    id: 'tasks-capability-shape',
    section: 'schema#servercapabilities',
    level: 'MUST',
    sentence: 'Specifies which request types can be augmented with tasks.',
    checkable: true,
    note: 'tasks, tasks.list, tasks.cancel, tasks.requests and what is in it are objects in the schema, never true.',
  },
  {
    id: 'tasks-undeclared-ignored',
    section: 'basic/utilities/tasks#task-support-and-handling',
    level: 'MUST',
    sentence:
      'Receivers that do not declare the task capability for a request type MUST process requests of that type normally, ignoring any task-augmentation metadata if present.',
    checkable: true,
    note: 'Checked in a session of revision 2025-06-18, where no server can declare it.',
  },
  {
    id: 'tasks-augmentation-demanded',
    section: 'basic/utilities/tasks#task-support-and-handling',
    level: 'MAY',
    sentence:
      'Receivers that declare the task capability for a request type MAY return an error for non-task-augmented requests, requiring requestors to use task augmentation.',
    checkable: false,
    reason: 'An option; checks that compare with a plain call are skipped where it is taken.',
  },
  {
    id: 'tasks-client-undeclared',
    section: 'basic/utilities/tasks#capability-negotiation',
    level: 'SHOULD',
    sentence:
      'If capabilities.tasks is not defined, the peer SHOULD NOT attempt to create tasks during requests.',
    checkable: true,
    note: 'The runner declares no tasks of its own: requests of the server carry no params.task.',
  },
  {
    id: 'tasks-client-tasks',
    section: 'basic/utilities/tasks#client-capabilities',
    level: 'MAY',
    sentence: 'Client supports task-augmented elicitation/create requests',
    checkable: false,
    reason: 'An option of the server; the runner does not offer to hold tasks for it.',
  },
  {
    id: 'tasks-tool-support-values',
    section: 'basic/utilities/tasks#tool-level-negotiation',
    level: 'MUST',
    sentence:
      'In the result of tools/list, tools declare support for tasks via execution.taskSupport, which if present can have a value of "required", "optional", or "forbidden".',
    checkable: true,
  },
  {
    id: 'tasks-tool-forbidden',
    section: 'basic/utilities/tasks#tool-level-negotiation',
    level: 'SHOULD',
    sentence:
      'If execution.taskSupport is not present or "forbidden", clients MUST NOT attempt to invoke the tool as a task. Servers SHOULD return a -32601 (Method not found) error if a client attempts to do so.',
    checkable: true,
  },
  {
    id: 'tasks-tool-required',
    section: 'basic/utilities/tasks#tool-level-negotiation',
    level: 'MUST',
    sentence:
      'If execution.taskSupport is "required", clients MUST invoke the tool as a task. Servers MUST return a -32601 (Method not found) error if a client does not attempt to do so.',
    checkable: true,
    note: 'The -32600 of "Protocol Errors" is for request types as a whole, not for tools.',
  },
  {
    id: 'tasks-plain-call-direct',
    section: 'basic/utilities/tasks#creating-tasks',
    level: 'MUST',
    sentence:
      'Normal requests: The server processes the request and returns the actual operation result directly.',
    checkable: true,
    note: 'A call without params.task is never answered with a task; an error is allowed (tasks-augmentation-demanded).',
  },
] as const satisfies readonly Requirement[];
