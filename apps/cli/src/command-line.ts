import { parseArgs } from 'node:util';
import { type KeysAction, parseKeysAction } from './keys/keys-action.ts';

/**
 * `keep-postgres` is what `start` runs beside the API and the workers, `engine` what `stdio` runs in the
 * background; neither is of use by itself.
 */
export type Command = 'start' | 'stdio' | 'migrate' | 'keep-postgres' | 'engine';

/** What the user asked for, or why it makes no sense. */
export type CommandLine =
  | { readonly kind: 'run'; readonly command: Command }
  | { readonly kind: 'keys'; readonly action: KeysAction }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export const USAGE = `Usage: longshore <command>

Commands:
  start     run everything on this machine: an API, WORKERS workers and, when DATABASE_URL is unset, a
            PostgreSQL whose data is kept in DATA_DIR. Migrates the database first. Prints one line with the
            URL when it is ready. SIGINT and SIGTERM end it: running tasks get SHUTDOWN_GRACE_MS to finish.
  stdio     MCP over standard input and output, for hosts that start their servers. Uses what runs in DATA_DIR
            (here ~/.longshore unless set), or starts it in the background, where tasks go on when the host
            has gone. It ends by itself, STDIO_IDLE_MS after the last host and the last task.
  migrate   bring the database to the schema of this version, and print what was applied
  keys      who may call under AUTH=api-key, in DATABASE_URL or the database of a running \`start\`:
            keys create --name NAME [--scope SCOPE]... [--limit LIMIT=NUMBER]... [--expires 30d]
                        [--principal NAME] [--json]
              prints a new key, once. Scopes: tasks:read, tasks:write, tools:NAME, tools:*, prompts:*,
              resources:*; all without --scope. --expires takes s, m, h or d. Keys of the same principal
              share their tasks; without --principal a key is a principal of its own. Limits, where they
              are not those of the environment: requestsPerMinute, concurrentTasks, queuedTasks,
              argumentBytes, maxTtlMs, openStreams.
            keys list [--json]
            keys revoke ID [--json]

Options:
  -h, --help   show this text

Everything else is set by environment variables: PORT, DATABASE_URL, REDIS_URL, DATA_DIR, PLUGINS, WORKERS
and more. The README has the whole table.
`;

const COMMANDS: readonly string[] = [
  'start',
  'stdio',
  'migrate',
  'keep-postgres',
  'engine',
] satisfies Command[];

/** @param args without the interpreter and the script */
export function parseCommandLine(args: readonly string[]): CommandLine {
  if (args[0] === 'keys') {
    const parsed = parseKeysAction(args.slice(1));
    if (parsed === 'help') return { kind: 'help' };
    return typeof parsed === 'string'
      ? { kind: 'mistake', message: parsed }
      : { kind: 'keys', action: parsed };
  }
  return parseSimpleCommand(args);
}

function parseSimpleCommand(args: readonly string[]): CommandLine {
  let positionals: string[];
  try {
    const parsed = parseArgs({
      args: [...args],
      options: { help: { type: 'boolean', short: 'h' } },
      allowPositionals: true,
    });
    if (parsed.values.help === true) return { kind: 'help' };
    positionals = parsed.positionals;
  } catch (error) {
    return { kind: 'mistake', message: error instanceof Error ? error.message : String(error) };
  }
  const [command, extra] = positionals;
  if (command === undefined) return { kind: 'mistake', message: 'no command given' };
  if (!isCommand(command)) return { kind: 'mistake', message: `unknown command '${command}'` };
  if (extra !== undefined) {
    return { kind: 'mistake', message: `'${command}' takes no argument '${extra}'` };
  }
  return { kind: 'run', command };
}

function isCommand(text: string): text is Command {
  return COMMANDS.includes(text);
}
