import type { CommandSpec, OptionSpec } from './command-spec.ts';
import { COMMAND_SPECS } from './command-specs.ts';

const WIDTH = 100;

/** What ends a command means: `0` and what else it can be. */
export const EXIT_CODES: readonly (readonly [code: number, meaning: string])[] = [
  [0, 'done; of a task: it completed'],
  [1, 'it failed: the tool, an item of a batch, the task, or what the server was asked for'],
  [2, 'the command makes no sense: flags, JSON, a file, a tool that is not there'],
  [3, 'no server answers'],
  [4, 'the server does not admit the caller'],
  [5, 'the task was cancelled'],
  [130, 'interrupted: the task goes on'],
];

export const USAGE: string = [
  'Usage: longshore <command>',
  '',
  'Commands:',
  ...COMMAND_SPECS.map(({ name, summary }) => `  ${name.padEnd(15)} ${summary}`),
  '',
  'Options:',
  '  -h, --help    show this text, or that of a command: longshore call --help',
  '',
  'Everything else is set by environment variables: PORT, DATABASE_URL, REDIS_URL, DATA_DIR, PLUGINS, WORKERS',
  'and more. The README has the whole table, docs/cli.md the exit codes.',
  '',
].join('\n');

export function commandHelp(spec: CommandSpec): string {
  const options = Object.entries(spec.options);
  return [
    `Usage: longshore ${[spec.name, ...spec.positionals].join(' ')}${options.length > 0 ? ' [options]' : ''}`,
    '',
    ...wrapped(`${capital(spec.summary)}. ${spec.about}`, ''),
    ...(options.length === 0 ? [] : ['', 'Options:']),
    ...options.flatMap(([name, option]) => [
      `  ${optionName(name, option)}`,
      ...wrapped(option.text, '      '),
    ]),
    '',
    spec.examples.length > 1 ? 'Examples:' : 'Example:',
    ...spec.examples.flatMap(([command, does]) => [`  ${command}`, `      ${does}`]),
    '',
  ].join('\n');
}

export function optionName(name: string, { value, values, multiple }: OptionSpec): string {
  const kind = value ?? values?.join('|');
  return `--${name}${kind === undefined ? '' : ` ${kind}`}${multiple === true ? ' ...' : ''}`;
}

function wrapped(text: string, indent: string): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    if (line.length + word.length + 1 > WIDTH && line !== indent) {
      lines.push(line.trimEnd());
      line = indent;
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
