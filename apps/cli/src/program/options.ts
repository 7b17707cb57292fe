import {
  type Command,
  InvalidArgumentError,
  Option,
  type OptionValues,
} from '@commander-js/extra-typings';
import type { ClientContext, ClientOptions } from '../client/client-context.ts';
import type { Handlers } from './handlers.ts';

const URL_OPTION = new Option(
  '--url <url>',
  'the MCP endpoint; else LONGSHORE_URL, else what this user runs here (DATA_DIR, ~/.longshore, other folders), else http://127.0.0.1:PORT/mcp',
);
const API_KEY = new Option(
  '--api-key <key>',
  'who calls; else LONGSHORE_API_KEY, which other users of the machine do not see',
);
export const OUTPUT = new Option('--output <kind>', 'how it is printed on standard output')
  .choices(['text', 'json'] as const)
  .default('text' as const);
/** Where `--json` is not the arguments of a tool. */
export const JSON_OUTPUT = new Option('--json', 'the same as --output json').implies({
  output: 'json' as const,
});

export const ARG = new Option('--arg <name=value>', 'an argument; may be given several times')
  .argParser(collect)
  .default([] as readonly string[], 'none');
export const ARGUMENTS = new Option(
  '--json <file>',
  'all arguments as one JSON object: a file, - for standard input, or the object itself',
);
export const IDEMPOTENCY_KEY = new Option(
  '--key <text>',
  'idempotency key: calls with the same one are one task',
);

export const WATCH = new Option(
  '--watch',
  'show progress on standard error; so on a terminal anyway',
);
export const DETACH = new Option('--detach', 'print the id of the task and end, without waiting');
export const CANCEL_ON_INTERRUPT = new Option(
  '--cancel-on-interrupt',
  'Ctrl-C and SIGTERM cancel the task; else they leave it running and print its id',
);
export const PATIENCE = new Option(
  '--patience <seconds>',
  'how long to wait for a server that has gone away',
)
  .argParser(wholeNumber)
  .default(60);

export const LIMIT = new Option('--limit <number>', 'at most so many')
  .argParser(wholeNumber)
  .default(20);

export const OUT = new Option('-o, --out <file>', 'write it there; - is standard output');

/** @throws {InvalidArgumentError} */
export function wholeNumber(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It is no whole number above 0.');
}

export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** A command that asks a server. */
export function asking<
  Args extends unknown[],
  Own extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Own, Globals>) {
  return command.addOption(URL_OPTION).addOption(API_KEY);
}

/** One whose arguments are no JSON, so that `--json` is how it answers. */
export function answering<
  Args extends unknown[],
  Own extends OptionValues,
  Globals extends OptionValues,
>(command: Command<Args, Own, Globals>) {
  return asking(command).addOption(OUTPUT).addOption(JSON_OUTPUT);
}

/**
 * What a command that asks a server runs: it gets the arguments of the command and then its options, and is loaded by
 * then only.
 */
export function running<
  Args extends unknown[],
  Own extends ClientOptions & OptionValues,
  Globals extends OptionValues,
>({ ask }: Handlers, command: Command<Args, Own, Globals>) {
  return (
    load: () => Promise<(context: ClientContext, ...given: [...Args, Own]) => Promise<number>>,
  ) =>
    command.action(() => {
      const options = command.opts();
      return ask(options, async (context) =>
        (await load())(context, ...command.processedArgs, options),
      );
    });
}
