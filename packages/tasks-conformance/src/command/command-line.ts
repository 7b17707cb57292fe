import { parseArgs } from 'node:util';
import type { RunOptions } from '../run/run-conformance.ts';
import { DEFAULT_TIMING } from '../scene/timing.ts';
import { TOOL_ROLES, type ToolRoleName } from '../scene/tool-roles.ts';

/** What the user asked for, or why it makes no sense. */
export type CommandLine =
  | { readonly kind: 'run'; readonly options: RunOptions; readonly json: boolean }
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export const USAGE = `Usage: mcp-tasks-conformance --url URL [options]

Checks the tasks of an MCP server (revision 2025-11-25, Streamable HTTP) against the specification.

  --url URL                    the MCP endpoint
  --header "Name: value"       sent with every request; repeat it for more
  --other-header "Name: value" credentials of somebody else, for what must be kept apart; repeat it for more
  --tool ROLE=NAME             which tool serves a role; repeat it for more. Roles and their defaults:
${Object.entries(TOOL_ROLES)
  .map(([role, { defaultName, argument }]) => `      ${role.padEnd(15)}${defaultName} ${argument}`)
  .join('\n')}
  --only ID,...                these checks or requirements only
  --strict                     a SHOULD that is not kept fails
  --require-all                a check that can not be done on this server fails
  --task-ms N                  how long tasks run that are to be seen running (${DEFAULT_TIMING.taskMs})
  --settle-ms N                how long to listen for what must not come (${DEFAULT_TIMING.settleMs})
  --timeout-ms N               time of one check (${DEFAULT_TIMING.timeoutMs})
  --concurrency N              checks at the same time (4)
  --json                       report as JSON on standard output
  --list                       list the requirements and their checks
  -h, --help                   this text

Exit codes: 0 nothing failed, 1 something failed, 2 it could not be run.
`;

/** @param args without the interpreter and the script */
export function parseCommandLine(args: readonly string[]): CommandLine {
  try {
    return read(args);
  } catch (error) {
    return { kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
}

function read(args: readonly string[]): CommandLine {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: 'string' },
      header: { type: 'string', multiple: true },
      'other-header': { type: 'string', multiple: true },
      tool: { type: 'string', multiple: true },
      only: { type: 'string' },
      strict: { type: 'boolean', default: false },
      'require-all': { type: 'boolean', default: false },
      'task-ms': { type: 'string' },
      'settle-ms': { type: 'string' },
      'timeout-ms': { type: 'string' },
      concurrency: { type: 'string' },
      json: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  const { json } = values;
  if (values.help) return { kind: 'help' };
  if (values.list) return { kind: 'list', json };
  if (values.url === undefined) throw new Error('--url is missing');
  if (!/^https?:$/.test(new URL(values.url).protocol)) throw new Error('--url is not http(s)');
  const otherHeaders = headers('--other-header', values['other-header']);
  const timing = {
    ...milliseconds('taskMs', '--task-ms', values['task-ms']),
    ...milliseconds('settleMs', '--settle-ms', values['settle-ms']),
    ...milliseconds('timeoutMs', '--timeout-ms', values['timeout-ms']),
  };
  return {
    kind: 'run',
    json,
    options: {
      url: values.url,
      headers: headers('--header', values.header),
      ...(Object.keys(otherHeaders).length === 0 ? {} : { otherHeaders }),
      tools: tools(values.tool),
      ...(values.only === undefined ? {} : { only: values.only.split(',') }),
      ...(values.concurrency === undefined
        ? {}
        : { concurrency: wholeNumber('--concurrency', values.concurrency) }),
      timing,
      strict: values.strict,
      requireAll: values['require-all'],
    },
  };
}

function headers(option: string, lines: readonly string[] = []): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^\s:]+):\s*(.*)$/.exec(line) ?? [];
      if (name === undefined || value === undefined) {
        throw new Error(`${option} takes "Name: value", not "${line}"`);
      }
      return [name.toLowerCase(), value];
    }),
  );
}

function tools(assignments: readonly string[] = []): Partial<Record<ToolRoleName, string>> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [, role = '', name = ''] = /^([^=]*)=(.+)$/.exec(assignment) ?? [];
      if (!(role in TOOL_ROLES) || name === '') {
        const roles = Object.keys(TOOL_ROLES).join(', ');
        throw new Error(`--tool takes ROLE=NAME with a role of ${roles}; not "${assignment}"`);
      }
      return [role, name];
    }),
  );
}

function milliseconds<Name extends string>(
  name: Name,
  option: string,
  text: string | undefined,
): Partial<Record<Name, number>> {
  if (text === undefined) return {};
  return { [name]: wholeNumber(option, text) } as Record<Name, number>;
}

function wholeNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text))
    throw new Error(`${option} takes a whole number, not "${text}"`);
  return Number(text);
}
