import { parseArgs } from 'node:util';
import { nearNames } from './client/near-names.ts';
import type { CommandSpec } from './help/command-spec.ts';
import { CLIENT_SPECS, COMMAND_SPECS, GROUPS } from './help/command-specs.ts';
import { isShell, type Shell } from './help/completion.ts';
import { commandHelp, optionName, USAGE } from './help/render-help.ts';
import { type KeysAction, parseKeysAction } from './keys/keys-action.ts';
import { ParsedCommand } from './parsed-command.ts';

/** Commands of ours that users have no use for; they take nothing. */
const INNER = ['keep-postgres', 'engine'] as const;
const RUN = ['start', 'stdio', 'api', 'worker', 'migrate', ...INNER] as const;

/**
 * `keep-postgres` is what `start` runs beside the API and the workers, `engine` what `stdio` runs in the
 * background; neither is of use by itself.
 */
export type Command = (typeof RUN)[number];

/** What the user asked for, or why it makes no sense. */
export type CommandLine =
  | { readonly kind: 'run'; readonly command: Command }
  | { readonly kind: 'keys'; readonly action: KeysAction }
  | { readonly kind: 'client' | 'doctor' | 'plugin'; readonly command: ParsedCommand }
  | { readonly kind: 'completion'; readonly shell: Shell }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'mistake'; readonly message: string; readonly help: string };

/** @param args without the interpreter and the script */
export function parseCommandLine(args: readonly string[]): CommandLine {
  const [first, second] = args;
  if (first === undefined) return mistake('no command given');
  if (first === '--help' || first === '-h' || first === 'help') return helpFor(args.slice(1));
  if (first.startsWith('-')) return mistake(`unknown option '${first}'`);
  if (INNER.some((name) => name === first)) return { kind: 'run', command: first as Command };
  if (first === 'keys') return parseKeys(args.slice(1));
  const isGroup = GROUPS.includes(first);
  const name = isGroup ? `${first} ${second ?? ''}`.trimEnd() : first;
  const spec = COMMAND_SPECS.find((known) => known.name === name);
  if (spec !== undefined) return parseWith(spec, args.slice(name.split(' ').length));
  if (isGroup) {
    if (second === undefined || second === '-h' || second === '--help') return helpFor([first]);
    return mistake(`unknown command '${first} ${second}'${didYouMean(name)}`);
  }
  return mistake(`unknown command '${first}'${didYouMean(first)}`);
}

function parseKeys(args: readonly string[]): CommandLine {
  const parsed = parseKeysAction(args);
  if (parsed === 'help') return helpFor(['keys']);
  return typeof parsed === 'string'
    ? mistake(parsed, specOf('keys'))
    : { kind: 'keys', action: parsed };
}

function parseWith(spec: CommandSpec, args: readonly string[]): CommandLine {
  let parsed: ReturnType<typeof parseArgs>;
  try {
    const options = Object.entries(spec.options).map(
      ([name, { type, multiple = false }]) => [name, { type, multiple }] as const,
    );
    parsed = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
  } catch (error) {
    return mistake(error instanceof Error ? error.message : String(error), spec);
  }
  const { values, positionals } = parsed;
  if (values['help'] === true) return { kind: 'help', text: commandHelp(spec) };
  const wanted = spec.positionals.length;
  if (positionals.length < wanted) {
    return mistake(`'${spec.name}' needs ${spec.positionals.join(' ')}`, spec);
  }
  if (positionals.length > wanted) {
    return mistake(`'${spec.name}' takes no argument '${positionals[wanted]}'`, spec);
  }
  for (const [name, option] of Object.entries(spec.options)) {
    const value = values[name];
    if (option.values === undefined || typeof value !== 'string') continue;
    if (!option.values.includes(value)) {
      return mistake(`'${value}' is none of ${optionName(name, option)}`, spec);
    }
  }
  return commandOf(spec, new ParsedCommand(spec.name, positionals, values));
}

function commandOf(spec: CommandSpec, command: ParsedCommand): CommandLine {
  if (CLIENT_SPECS.includes(spec)) return { kind: 'client', command };
  if (spec.name === 'doctor') return { kind: 'doctor', command };
  if (spec.name.startsWith('plugin ')) return { kind: 'plugin', command };
  if (spec.name !== 'completion') return { kind: 'run', command: spec.name as Command };
  const [shell = ''] = command.positionals;
  return isShell(shell)
    ? { kind: 'completion', shell }
    : mistake(`'${shell}' is none of bash, zsh, fish`, spec);
}

function helpFor(words: readonly string[]): CommandLine {
  const wanted = words.join(' ');
  const specs = COMMAND_SPECS.filter(
    ({ name }) => name === wanted || (wanted !== '' && name.startsWith(`${wanted} `)),
  );
  if (wanted === '' || specs.length === 0) return { kind: 'help', text: USAGE };
  return { kind: 'help', text: specs.map(commandHelp).join('\n') };
}

function mistake(message: string, spec: CommandSpec | null = null): CommandLine {
  const isPlain = spec === null || Object.keys(spec.options).length === 0;
  const help = isPlain ? USAGE : `${usageLine(spec)}\nMore: longshore ${spec.name} --help\n`;
  return { kind: 'mistake', message, help };
}

function usageLine(spec: CommandSpec): string {
  return commandHelp(spec).split('\n')[0] ?? '';
}

function specOf(name: string): CommandSpec | null {
  return COMMAND_SPECS.find((spec) => spec.name === name) ?? null;
}

function didYouMean(wanted: string): string {
  const near = nearNames(
    wanted,
    COMMAND_SPECS.map(({ name }) => name),
  );
  return near.length === 0 ? '' : `: did you mean ${near.join(', ')}?`;
}
