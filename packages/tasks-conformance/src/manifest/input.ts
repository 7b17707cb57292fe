import type { Requirement } from './requirement.ts';

/** input_required: elicitation and sampling by a running task. */
export const INPUT = [
  {
    id: 'tasks-input-required',
    section: 'basic/utilities/tasks#input-required-status',
    level: 'SHOULD',
    sentence:
      'When the task receiver has messages for the requestor that are necessary to complete the task, the receiver SHOULD move the task to the input_required status.',
    checkable: true,
  },
  {
    id: 'tasks-input-related-task',
    section: 'basic/utilities/tasks#input-required-status',
    level: 'MUST',
    sentence:
      'The receiver MUST include the io.modelcontextprotocol/related-task metadata in the request to associate it with the task.',
    checkable: true,
  },
  {
    id: 'tasks-input-delivered',
    section: 'basic/utilities/tasks#task-status',
    level: 'MUST',
    sentence:
      'The requestor should call tasks/result to receive input requests, even though the task has not reached a terminal state.',
    checkable: true,
    note: 'No RFC 2119 word. With tasks/result waiting and a GET stream open, the request arrives on one of them.',
  },
  {
    id: 'tasks-input-on-result',
    section: 'basic/utilities/tasks#task-status',
    level: 'SHOULD',
    sentence:
      'The requestor should call tasks/result to receive input requests, even though the task has not reached a terminal state.',
    checkable: true,
    note: 'The stream of tasks/result is enough, without a GET stream.',
  },
  {
    id: 'tasks-input-resumes',
    section: 'basic/utilities/tasks#input-required-status',
    level: 'SHOULD',
    sentence:
      'When the receiver receives all required input, the task SHOULD transition out of input_required status (typically back to working).',
    checkable: true,
  },
  {
    id: 'elicitation-form',
    section: 'client/elicitation#form-mode-elicitation-requests',
    level: 'MUST',
    sentence:
      'Form mode elicitation requests MUST either specify mode: "form" or omit the mode field, and include these additional parameters:',
    checkable: true,
    note: 'And "All elicitation requests MUST include" a message; the schema is a flat object of primitives.',
  },
  {
    id: 'elicitation-answer-used',
    section: 'client/elicitation#response-actions',
    level: 'MUST',
    sentence: 'Accept: Process the submitted data',
    checkable: true,
    note: 'No RFC 2119 word. What the client submitted reaches the tool: the name is in its result.',
  },
  {
    id: 'elicitation-declined',
    section: 'client/elicitation#response-actions',
    level: 'SHOULD',
    sentence: 'Servers should handle each state appropriately:',
    checkable: true,
    note: 'Checked for decline, cancel and a JSON-RPC error: the task ends somehow instead of waiting on.',
  },
  {
    id: 'elicitation-bound',
    section: 'client/elicitation#security-considerations',
    level: 'MUST',
    sentence: 'Servers MUST bind elicitation requests to the client and user identity',
    checkable: true,
    note: 'An answer that another client posts does not count.',
  },
  {
    id: 'elicitation-url-mode',
    section: 'client/elicitation#url-mode-elicitation-requests',
    level: 'MUST',
    sentence:
      'URL mode elicitation requests MUST specify mode: "url", a message, and include these additional parameters:',
    checkable: false,
    reason: 'Needs a user who opens a page; nothing in it is particular to tasks.',
  },
  {
    id: 'sampling-request',
    section: 'client/sampling#creating-messages',
    level: 'MUST',
    sentence:
      'To request a language model generation, servers send a sampling/createMessage request:',
    checkable: true,
    note: 'No RFC 2119 word: messages and maxTokens are required in CreateMessageRequestParams.',
  },
  {
    id: 'sampling-answer-used',
    section: 'client/sampling#creating-messages',
    level: 'MUST',
    sentence:
      'To request a language model generation, servers send a sampling/createMessage request:',
    checkable: true,
    note: 'No RFC 2119 word. The generated text reaches the tool: it is in its result.',
  },
  {
    id: 'sampling-rejected',
    section: 'client/sampling#error-handling',
    level: 'SHOULD',
    sentence: 'User rejected sampling request: -1',
    checkable: true,
    note: 'Of clients; a server whose request is rejected ends the task somehow instead of waiting on.',
  },
] as const satisfies readonly Requirement[];
