import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { type Config, loadConfig } from '@longshore/config';
import { createLogger, listenForStopSignals, runMain } from '@longshore/runtime';
import * as z from 'zod';
import { CliError, EXIT } from './client/cli-error.ts';
import type { ClientContext } from './client/client-context.ts';
import { ProgressLine } from './client/progress-line.ts';
import { engineEnvironment } from './engine/engine-settings.ts';
import { HAND_OVER_MS } from './processes/hand-over.ts';
import type { Handlers, ServeCommand } from './program/handlers.ts';
import { createProgram, runProgram } from './program/program.ts';
import type { StartOptions } from './start/start-command.ts';

/*
 * Each command is loaded when it is asked for: the database and the queue take a second that a host which
 * starts `stdio` need not wait for.
 */

type Environment = Readonly<Record<string, string | undefined>>;

const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('../package.json'));

/** With the folders `apps` and `packages`. */
const ROOT = path.join(import.meta.dirname, '..', '..', '..');

/** How soon it is noticed that the npm that runs this has gone. */
const PARENT_POLL_MS = 500;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

let exitCode = 0;

const handlers: Handlers = {
  serve: async (command, { channel } = { channel: false }) => {
    exitCode = await run(command, channel);
  },
  ask: async (options, command) => {
    const { askServer } = await import('./client/ask-server.ts');
    const config = loadConfig(process.env);
    const { stop, kill } = listenForStopSignals();
    kill.addEventListener('abort', () => process.exit(130));
    const { stdin, stdout, stderr } = process;
    const ask = askOnTerminal(stdin, stderr);
    const keyboard = keyboardOf(stdin);
    const terminal = { version, print, stdout, stderr, ask, keyboard, stop };
    exitCode = await askServer(options, config, terminal, command);
  },
  author: async (command) => {
    const { stop, kill } = listenForStopSignals();
    kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
    const config = loadConfig(process.env);
    exitCode = await command({
      config,
      env: process.env,
      cli: entryOf('cli'),
      root: ROOT,
      currentDirectory: process.cwd(),
      log: createLogger(config.LOG_LEVEL, { app: 'plugin' }, 'stderr'),
      print,
      stop: underNpm(stop),
      kill,
    });
  },
  keys: async (action) => {
    const { keysCommand } = await import('./keys/keys-command.ts');
    exitCode = await keysCommand(action, { config: loadConfig(process.env), print });
  },
  doctor: async ({ isJson }) => {
    const { doctorCommand } = await import('./doctor/doctor-command.ts');
    const { node: nodeVersion } = process.versions;
    exitCode = await doctorCommand({ env: process.env, nodeVersion, isJson, print });
  },
  print,
  printError: (text) => void process.stderr.write(text),
};

void runMain('longshore', async () => {
  try {
    const args = process.argv.slice(2);
    const reading = await runProgram(createProgram(version, handlers), args);
    if (reading.kind === 'ran') return exitCode;
    process.stderr.write(`longshore: ${reading.message}\n`);
    return EXIT.usage;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    process.stderr.write(`longshore: ${error.message}\n`);
    return error.exitCode;
  }
});

async function run(command: ServeCommand, channel: boolean): Promise<number> {
  if (command === 'api' || command === 'worker') return become(command);
  const env =
    command === 'stdio' || command === 'engine' ? engineEnvironment(process.env) : process.env;
  const config = loadConfig(env);
  if (command === 'stdio') {
    return stdio({ ...config, STDIO_CHANNEL: channel || config.STDIO_CHANNEL }, env);
  }
  const log = createLogger(config.LOG_LEVEL, { app: command });
  if (command === 'keep-postgres') {
    const { keepPostgres } = await import('./database/postgres-keeper.ts');
    return keepPostgres({
      dataDir: path.resolve(config.DATA_DIR),
      dependantsGraceMs: config.SHUTDOWN_GRACE_MS + HAND_OVER_MS,
      log,
    });
  }
  const { stop: stopWish, kill } = listenForStopSignals();
  // An engine outlives whoever started it.
  const stop = command === 'engine' ? stopWish : underNpm(stopWish);
  // After those who listen too, to kill what they started.
  kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  if (command === 'migrate') {
    const { migrateCommand } = await import('./database/migrate-command.ts');
    return migrateCommand({ config, log, signal: stop, print });
  }
  const { stderr } = process;
  const line = new ProgressLine(stderr);
  const show = (doing: string | null): void => {
    line.clear();
    if (doing === null || !stderr.isTTY) return;
    line.show({ progress: null, total: null, message: `${doing} ...` });
    // Back to the first column, so that what others log goes over it.
    stderr.write('\r');
  };
  return (await runnerOf(command))({
    config,
    env,
    log,
    stop,
    kill,
    print,
    show,
    entries: { api: entryOf('api'), worker: entryOf('worker'), cli: entryOf('cli') },
  });
}

/** Fires with `stop`, and when the npm that runs this has gone. */
function underNpm(stop: AbortSignal): AbortSignal {
  const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined;
  return isUnderNpm ? AbortSignal.any([stop, watchParent()]) : stop;
}

/**
 * Fires when the process that started us has ended. npm runs its scripts through a shell that dies of a
 * signal without passing it on, and would leave us running where nobody sees us.
 */
function watchParent(): AbortSignal {
  const gone = new AbortController();
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone.abort();
  }, PARENT_POLL_MS);
  timer.unref();
  return gone.signal;
}

async function runnerOf(
  command: ServeCommand,
): Promise<(options: StartOptions) => Promise<number>> {
  return command === 'engine'
    ? (await import('./start/engine-command.ts')).engineCommand
    : (await import('./start/start-command.ts')).startCommand;
}

/** Standard output belongs to the protocol: everything else goes to standard error. */
async function stdio(config: Config, env: Environment): Promise<number> {
  const log = createLogger(config.LOG_LEVEL, { app: 'stdio' }, 'stderr');
  const { stop } = listenForStopSignals();
  const { stdin: input, stdout: output } = process;
  const { stdioCommand } = await import('./stdio/stdio-command.ts');
  return stdioCommand({ config, env, log, stop, cli: entryOf('cli'), input, output });
}

function entryOf(app: string): string {
  return path.join(ROOT, 'apps', app, 'dist', 'main.js');
}

/**
 * Runs another program of ours in place of this one, as exec would: signals and exit code are its own. It ends
 * this process.
 */
async function become(app: 'api' | 'worker'): Promise<never> {
  await import(pathToFileURL(entryOf(app)).href);
  return new Promise<never>(() => {});
}

/** Asks somebody at a terminal what an interruption meant. Another Ctrl-C, or no answer, leaves the task running. */
function askOnTerminal(
  input: NodeJS.ReadStream,
  output: NodeJS.WriteStream,
): (() => Promise<'cancel' | 'detach'>) | null {
  if (!(input.isTTY && output.isTTY)) return null;
  return () =>
    new Promise((resolve) => {
      const lines = createInterface({ input, output });
      const finish = (wish: 'cancel' | 'detach'): void => {
        resolve(wish);
        lines.close();
      };
      lines.on('close', () => resolve('detach'));
      lines.on('SIGINT', () => {
        output.write('\n');
        finish('detach');
      });
      lines.question('\nCancel the task, or leave it running? [c/L] ', (answer) =>
        finish(/^c/i.test(answer.trim()) ? 'cancel' : 'detach'),
      );
    });
}

/** Keys as they are typed, Ctrl-C among them, for who shows a view that goes on. */
function keyboardOf(input: NodeJS.ReadStream): ClientContext['keyboard'] {
  if (!input.isTTY) return null;
  return (typed) => {
    // What is typed fast comes together.
    const hear = (data: Buffer): void => {
      for (const key of data.toString('latin1')) typed(key);
    };
    input.setRawMode(true);
    input.on('data', hear);
    return () => {
      input.off('data', hear);
      input.setRawMode(false);
      // Else it keeps the process.
      input.pause();
    };
  };
}
