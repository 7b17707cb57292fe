/** What a tool of the server must do to serve a check, and its name unless the user says otherwise. */
export interface ToolRole {
  readonly defaultName: string;
  readonly argument: string;
  /** Values of execution.taskSupport that serve; the default of the protocol is `forbidden`. */
  readonly support: readonly ('optional' | 'required' | 'forbidden')[];
  readonly contract: string;
}

const OPTIONAL = ['optional'] as const;
const EITHER = ['optional', 'required'] as const;

export const TOOL_ROLES = {
  slow: {
    defaultName: 'conformance_slow',
    argument: '{"ms": integer, "steps"?: integer}',
    support: OPTIONAL,
    contract:
      'Runs for ms milliseconds and reports progress at the end of each of its steps (default 4). Its result depends on its arguments only, and is another one for another ms.',
  },
  fail: {
    defaultName: 'conformance_fail',
    argument: '{}',
    support: EITHER,
    contract: 'Fails with a result that has isError: true and says why.',
  },
  'protocol-error': {
    defaultName: 'conformance_protocol_error',
    argument: '{}',
    support: EITHER,
    contract: 'Ends as a JSON-RPC error, always the same.',
  },
  required: {
    defaultName: 'conformance_required',
    argument: '{}',
    support: ['required'],
    contract: 'Succeeds at once.',
  },
  forbidden: {
    defaultName: 'conformance_forbidden',
    argument: '{}',
    support: ['forbidden'],
    contract: 'Succeeds at once.',
  },
  elicit: {
    defaultName: 'conformance_elicit',
    argument: '{"message": string}',
    support: EITHER,
    contract:
      'Elicits a form with the required string "name" and the message it was given. Accepted, its result is text with that name.',
  },
  sample: {
    defaultName: 'conformance_sample',
    argument: '{}',
    support: EITHER,
    contract: 'Samples once. Its result is text with the text it got.',
  },
  log: {
    defaultName: 'conformance_log',
    argument: '{}',
    support: EITHER,
    contract: 'Sends a log message (notifications/message) of level info.',
  },
} as const satisfies Readonly<Record<string, ToolRole>>;

export type ToolRoleName = keyof typeof TOOL_ROLES;
