import { Argument, Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { VARIABLES } from '@longshore/config';
import { CommanderError } from 'commander';
import { callCommands, scheduleCommand, toolsCommand } from './client-commands.ts';
import { candidates, completionScript, SHELLS } from './completion.ts';
import type { Handlers } from './handlers.ts';
import { leaf, leafCommands, nameOf } from './help.ts';
import { keysCommands } from './keys-commands.ts';
import { queuesCommand, topProgram, workersCommand } from './operator-commands.ts';
import { JSON_OUTPUT, OUTPUT } from './options.ts';
import { pluginCommands } from './plugin-commands.ts';
import { tasksCommand } from './task-commands.ts';
import { webhooksCommand } from './webhook-commands.ts';

const INNER = ['keep-postgres', 'engine'] as const;

/** The whole command line. It does nothing by itself: what a command does is up to the handlers. */
export function createProgram(version: string, handlers: Handlers): CommandUnknownOpts {
  const program = new Command('longshore')
    .description('Durable tasks for MCP: runs the server, and asks it.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'this text, or that of a command: longshore call --help')
    .addHelpText(
      'after',
      '\nEverything else is set by environment variables: PORT, DATABASE_URL, REDIS_URL,\nDATA_DIR, PLUGINS, WORKERS and more. docs/cli.md has the exit codes.',
    );
  program.commandsGroup('Run a server:');
  for (const command of servingCommands(handlers)) program.addCommand(command);
  program.commandsGroup('Ask a server:');
  for (const command of callCommands(handlers)) program.addCommand(command);
  program.addCommand(tasksCommand(handlers));
  program.addCommand(toolsCommand(handlers));
  program.addCommand(scheduleCommand(handlers));
  program.commandsGroup('Write tools:');
  program.addCommand(pluginCommands(handlers));
  program.commandsGroup('Look after it:');
  program.addCommand(topProgram(handlers));
  program.addCommand(workersCommand(handlers));
  program.addCommand(queuesCommand(handlers));
  program.addCommand(webhooksCommand(handlers));
  program.addCommand(keysCommands(handlers));
  program.addCommand(doctorCommand(handlers));
  program.addCommand(completionCommand(handlers));
  for (const command of [candidatesCommand(program, handlers), ...innerCommands(handlers)]) {
    program.addCommand(command, { hidden: true });
  }
  direct(program, handlers);
  return program;
}

/** What came of reading a command line. The exit code of a command that ran is with its handler. */
export type Reading =
  | { readonly kind: 'ran' }
  | { readonly kind: 'mistake'; readonly message: string };

/**
 * Reads a command line and runs its command.
 *
 * @param args without the interpreter and the script
 */
export async function runProgram(
  program: CommandUnknownOpts,
  args: readonly string[],
): Promise<Reading> {
  try {
    await program.parseAsync([...args], { from: 'user' });
    return { kind: 'ran' };
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { kind: 'ran' };
    return { kind: 'mistake', message: explain(error, args) };
  }
}

/**
 * What is wrong with a command line, in one line with the word that is right.
 *
 * @param args without the interpreter and the script
 */
function explain({ code, message }: CommanderError, args: readonly string[]): string {
  if (code === 'commander.help') return 'no command given: the commands are above';
  const text = message.replace(/^error: /, '').replaceAll(/\s*\n\s*/g, ' ');
  if (code === 'commander.unknownOption') return unknownOption(text, args);
  if (code === 'commander.optionMissingArgument' && text.includes("'--json <file>'")) {
    return `${text}: here it takes the arguments; for an answer in JSON say --output json`;
  }
  return text;
}

/** What is set by a variable is often tried as an option. */
function unknownOption(text: string, args: readonly string[]): string {
  const [, name = ''] = /--([a-z0-9-]+)/.exec(text) ?? [];
  const variable = name.toUpperCase().replaceAll('-', '_');
  if (!Object.hasOwn(VARIABLES, variable)) return text;
  const command = args.slice(
    0,
    Math.max(
      1,
      args.findIndex((word) => word.startsWith('-')),
    ),
  );
  const at = args.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
  const value = args[at]?.split('=', 2)[1] ?? args[at + 1] ?? '...';
  return `there is no option --${name}: set the variable ${variable}, as in ${variable}=${value} longshore ${command.join(' ')}`;
}

/** Commands with their names and help, for the documentation. */
export function documentedCommands(
  program: CommandUnknownOpts,
): readonly { readonly name: string; readonly command: CommandUnknownOpts }[] {
  return leafCommands(program).map((command) => ({ name: nameOf(command), command }));
}

function servingCommands({ serve }: Handlers) {
  return [
    leaf(
      'start',
      'run everything on this machine',
      'An API, WORKERS workers and, when DATABASE_URL is unset, a PostgreSQL whose data is kept in DATA_DIR. Migrates the database first. Prints one line with the URL when it is ready. SIGINT and SIGTERM end it: running tasks get SHUTDOWN_GRACE_MS to finish.',
      ['longshore start', 'serves http://127.0.0.1:3000/mcp'],
    ).action(() => serve('start')),
    leaf(
      'stdio',
      'MCP over standard input and output, for hosts that start their servers',
      'Uses what runs in DATA_DIR (here ~/.longshore unless set), or starts it in the background, where tasks go on when the host has gone. It ends by itself, STDIO_IDLE_MS after the last host and the last task.',
      ['claude mcp add longshore -- longshore stdio', 'adds it to Claude Code'],
    )
      .option('--channel', 'tell the host when a job has ended or asks; as STDIO_CHANNEL=true')
      .action(({ channel }) => serve('stdio', { channel: channel === true })),
    leaf(
      'api',
      'run one API on DATABASE_URL, without workers',
      'Any number of them serve the same tasks. The database must be migrated.',
      ['PORT=3001 longshore api', 'one more API beside the first'],
    ).action(() => serve('api')),
    leaf(
      'worker',
      'run one worker on DATABASE_URL',
      'Loads PLUGINS and runs their tools. Any number of them share the work.',
      ['PLUGINS=./my-tools.js longshore worker', 'a worker for your tools'],
    ).action(() => serve('worker')),
    leaf(
      'migrate',
      'bring the database to the schema of this version',
      'Of DATABASE_URL, or the embedded one of DATA_DIR. Prints what was applied.',
      ['longshore migrate', 'prints "applied ..." for each migration'],
    ).action(() => serve('migrate')),
  ];
}

function doctorCommand({ doctor }: Handlers) {
  return leaf(
    'doctor',
    'check what Longshore needs here, and say how to mend it',
    'Node.js, DATA_DIR, PORT, the database and its migrations, workers, Redis and its maxmemory-policy. Changes nothing. Exits with 1 when something must be mended.',
    ['DATABASE_URL=... REDIS_URL=... longshore doctor', 'before the first start'],
  )
    .addOption(OUTPUT)
    .addOption(JSON_OUTPUT)
    .action(({ output }) => doctor({ isJson: output === 'json' }));
}

function completionCommand({ print }: Handlers) {
  return leaf(
    'completion',
    'print a script that completes commands and options',
    'For the start file of your shell.',
    ['eval "$(longshore completion bash)"', 'in ~/.bashrc'],
    ['longshore completion fish > ~/.config/fish/completions/longshore.fish', 'for fish'],
  )
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action((shell) => print(completionScript(shell)));
}

/** What these scripts ask. */
function candidatesCommand(program: CommandUnknownOpts, { print }: Handlers) {
  return new Command('complete')
    .argument('[words...]')
    .action((words) => print(candidates(program, words).join('\n')));
}

/** What `start` and `stdio` run beside themselves; of no use to anybody else. */
function innerCommands({ serve }: Handlers) {
  return INNER.map((name) => new Command(name).action(() => serve(name)));
}

/** Mistakes are said by whoever runs the program. */
function direct(command: CommandUnknownOpts, handlers: Handlers): void {
  command.exitOverride().configureOutput({
    writeOut: (text) => handlers.print(text.replace(/\n$/, '')),
    writeErr: (text) => handlers.printError(text),
    outputError: () => {},
  });
  for (const inner of command.commands) direct(inner, handlers);
}
