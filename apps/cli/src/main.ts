import path from 'node:path';
import { loadConfig } from '@longshore/config';
import { createLogger, listenForStopSignals, runMain } from '@longshore/runtime';
import { type Command, parseCommandLine, USAGE } from './command-line.ts';
import { keepPostgres } from './database/postgres-keeper.ts';
import { HAND_OVER_MS } from './hand-over.ts';
import { keysCommand } from './keys/keys-command.ts';
import { migrateCommand } from './migrate-command.ts';
import { watchParent } from './parent-gone.ts';
import { startCommand } from './start/start-command.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

await runMain('longshore', async () => {
  const commandLine = parseCommandLine(process.argv.slice(2));
  switch (commandLine.kind) {
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'mistake':
      process.stderr.write(`longshore: ${commandLine.message}\n\n${USAGE}`);
      return 2;
    case 'keys':
      return keysCommand(commandLine.action, { config: loadConfig(process.env), print });
    case 'run':
      return run(commandLine.command);
  }
});

async function run(command: Command): Promise<number> {
  const config = loadConfig(process.env);
  const log = createLogger(config.LOG_LEVEL, { app: command });
  if (command === 'keep-postgres') {
    return keepPostgres({
      dataDir: path.resolve(config.DATA_DIR),
      dependantsGraceMs: config.SHUTDOWN_GRACE_MS + HAND_OVER_MS,
      log,
    });
  }
  const { stop: stopWish, kill } = listenForStopSignals();
  const isUnderNpm = process.env['npm_lifecycle_event'] !== undefined;
  const stop = isUnderNpm ? AbortSignal.any([stopWish, watchParent()]) : stopWish;
  // After those who listen too, to kill what they started.
  kill.addEventListener('abort', () => setImmediate(() => process.exit(1)));
  if (command === 'migrate') {
    return migrateCommand({ config, log, signal: stop, print });
  }
  const entryOf = (app: string): string =>
    path.join(import.meta.dirname, '..', '..', app, 'dist', 'main.js');
  return startCommand({
    config,
    env: process.env,
    log,
    stop,
    kill,
    print,
    entries: { api: entryOf('api'), worker: entryOf('worker'), cli: entryOf('cli') },
  });
}
