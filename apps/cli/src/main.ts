import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Config, loadConfig } from '@longshore/config';
import { createLogger, listenForStopSignals, runMain } from '@longshore/runtime';
import * as z from 'zod';
import { askOnTerminal } from './client/ask-on-terminal.ts';
import { type Command, parseCommandLine } from './command-line.ts';
import { engineEnvironment } from './engine/engine-settings.ts';
import { HAND_OVER_MS } from './hand-over.ts';
import { completionScript } from './help/completion.ts';
import { watchParent } from './parent-gone.ts';
import type { ParsedCommand } from './parsed-command.ts';
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

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runMain('longshore', async () => {
  const commandLine = parseCommandLine(process.argv.slice(2));
  switch (commandLine.kind) {
    case 'help':
      process.stdout.write(commandLine.text);
      return 0;
    case 'mistake':
      process.stderr.write(`longshore: ${commandLine.message}\n\n${commandLine.help}`);
      return 2;
    case 'completion':
      process.stdout.write(completionScript(commandLine.shell));
      return 0;
    case 'keys': {
      const { keysCommand } = await import('./keys/keys-command.ts');
      return keysCommand(commandLine.action, { config: loadConfig(process.env), print });
    }
    case 'client':
      return client(commandLine.command);
    case 'doctor': {
      const { doctorCommand } = await import('./doctor/doctor-command.ts');
      const isJson = commandLine.command.text('output') === 'json';
      const { node: nodeVersion } = process.versions;
      return doctorCommand({ env: process.env, nodeVersion, isJson, print });
    }
    case 'plugin':
      return plugin(commandLine.command);
    case 'run':
      return run(commandLine.command);
  }
});

async function client(command: ParsedCommand): Promise<number> {
  const { clientCommand } = await import('./client/client-command.ts');
  const config = loadConfig(process.env);
  const { stop, kill } = listenForStopSignals();
  kill.addEventListener('abort', () => process.exit(130));
  const { stdin, stderr } = process;
  const ask = askOnTerminal(stdin, stderr);
  return clientCommand(command, { config, version, print, stderr, ask, stop });
}

async function plugin(command: ParsedCommand): Promise<number> {
  const { pluginCommand } = await import('./plugin/plugin-command.ts');
  const config = loadConfig(process.env);
  const { stop, kill } = listenForStopSignals();
  kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  return pluginCommand(command, {
    config,
    env: process.env,
    cli: entryOf('cli'),
    root: ROOT,
    currentDirectory: process.cwd(),
    log: createLogger(config.LOG_LEVEL, { app: 'plugin' }, 'stderr'),
    print,
    printError: (line) => void process.stderr.write(`${line}\n`),
    stop: underNpm(stop),
    kill,
  });
}

async function run(command: Command): Promise<number> {
  if (command === 'api' || command === 'worker') return become(command);
  const env =
    command === 'stdio' || command === 'engine' ? engineEnvironment(process.env) : process.env;
  const config = loadConfig(env);
  if (command === 'stdio') return stdio(config, env);
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
    const { migrateCommand } = await import('./migrate-command.ts');
    return migrateCommand({ config, log, signal: stop, print });
  }
  return (await runnerOf(command))({
    config,
    env,
    log,
    stop,
    kill,
    print,
    entries: { api: entryOf('api'), worker: entryOf('worker'), cli: entryOf('cli') },
  });
}

/** Fires with `stop`, and when the npm that runs this has gone. */
function underNpm(stop: AbortSignal): AbortSignal {
  const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined;
  return isUnderNpm ? AbortSignal.any([stop, watchParent()]) : stop;
}

async function runnerOf(command: Command): Promise<(options: StartOptions) => Promise<number>> {
  return command === 'engine'
    ? (await import('./engine/engine-command.ts')).engineCommand
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
  throw new Error(`${app} came back`);
}
