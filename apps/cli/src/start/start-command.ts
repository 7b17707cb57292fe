import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { type Config, loadConfig } from '@longshore/config';
import { type Logger, LongshoreError } from '@longshore/core';
import { migrate } from '@longshore/database/migrator';
import { type DataDirLock, lockDataDir } from '../database/data-dir-lock.ts';
import {
  externalDatabase,
  type RunningDatabase,
  startEmbeddedDatabase,
} from '../database/embedded-database.ts';
import {
  livingEngines,
  publishAddress,
  settingsOf,
  withdrawAddress,
} from '../engine/engine-address.ts';
import { HAND_OVER_MS } from '../processes/hand-over.ts';
import { Fleet } from './fleet.ts';
import { listenOnce } from './listen-once.ts';

export interface StartOptions {
  readonly config: Config;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Ends everything in good order. */
  readonly stop: AbortSignal;
  /** Ends everything at once. */
  readonly kill: AbortSignal;
  /** Writes to the user. */
  readonly print: (line: string) => void;
  /** Shows a user who looks on what takes time; null: it is done. */
  readonly show: (doing: string | null) => void;
  /** Absolute paths of the programs. */
  readonly entries: { readonly api: string; readonly worker: string; readonly cli: string };
  /** Given when everything is to end by itself once nobody needs it. */
  readonly idle?: IdleWatch;
}

/** Says when nobody needs what was started. */
export interface IdleWatch {
  /** Where hosts look for the API, and leave records of themselves. */
  readonly directory: string;
  /** Resolves when nobody needs it any more, or at once when `signal` fires. */
  untilIdle(databaseUrl: string, signal: AbortSignal): Promise<void>;
}

/** Processes whose database is gone have nothing to hand over. */
const LOST_GRACE_MS = 1_000;

/** As LOCAL_TOKEN wants it. */
const TOKEN_BYTES = 32;

/** An embedded server that dies sooner than this after its start, several times, will not live. */
const STABLE_MS = 30_000;
const MAX_QUICK_LOSSES = 3;

/** How one round, from the start of the database to its stop, ended. */
type RoundEnd =
  | { readonly kind: 'stopped' | 'idle' | 'directory_gone' }
  | { readonly kind: 'database_lost' }
  | { readonly kind: 'gave_up'; readonly reason: string };

/**
 * Runs API, workers and, unless DATABASE_URL is set, PostgreSQL, until `stop`. When the embedded
 * server dies it comes back on another port, so everything is started anew; tasks survive in it.
 *
 * What runs in a directory that is locked can be found there (`engine-address.ts`), by whoever may read the
 * files of the user.
 *
 * @returns the exit code
 * @throws {LongshoreError} when the database can not be started or migrated
 */
export async function startCommand(options: StartOptions): Promise<number> {
  const { config, log, stop } = options;
  if (config.DATABASE_URL !== null) return runRounds(options, null);
  let lock: DataDirLock;
  try {
    lock = await lockDataDir(path.resolve(config.DATA_DIR), {
      log,
      signal: stop,
      graceMs: config.SHUTDOWN_GRACE_MS,
    });
  } catch (error) {
    if (stop.aborted) return 0;
    throw error;
  }
  try {
    return await runRounds(options, lock);
  } finally {
    lock.release();
  }
}

async function runRounds(options: StartOptions, lock: DataDirLock | null): Promise<number> {
  const { config, idle } = options;
  await requireFreePort(loadConfig(options.env));
  const embedded = config.DATABASE_URL === null ? path.resolve(config.DATA_DIR) : null;
  const directory = idle?.directory ?? embedded;
  const token = randomBytes(TOKEN_BYTES).toString('base64url');
  const address = directory === null ? null : { directory, token };
  try {
    return await repeatRounds(options, address, lock);
  } finally {
    options.show(null);
    if (directory !== null) withdrawAddress(directory);
  }
}

async function repeatRounds(
  options: StartOptions,
  address: { readonly directory: string; readonly token: string } | null,
  lock: DataDirLock | null,
): Promise<number> {
  const { log, print, show } = options;
  let quickLosses = 0;
  let port = options.env['PORT'];
  let announced = false;
  const onReady = (url: string): void => {
    if (URL.canParse(url)) port = new URL(url).port || port;
    if (address !== null) {
      const { directory, token } = address;
      const settings = settingsOf(options.env);
      publishAddress(directory, { url, token, endsByItself: options.idle !== undefined, settings });
    }
    show(null);
    if (announced) log.info({ url }, 'everything runs again');
    else print(`longshore ready at ${url}`);
    announced = true;
  };
  for (;;) {
    const startedAt = performance.now();
    const env = { ...options.env, PORT: port };
    const apiEnv: Record<string, string> = address === null ? {} : { LOCAL_TOKEN: address.token };
    const round = await runRound({ ...options, env }, apiEnv, onReady, lock);
    if (round.kind === 'stopped' || round.kind === 'idle') return 0;
    if (round.kind === 'gave_up') throw givingUp(round.reason);
    quickLosses = performance.now() - startedAt < STABLE_MS ? quickLosses + 1 : 1;
    if (quickLosses === MAX_QUICK_LOSSES) {
      throw givingUp('the embedded postgres dies again and again: see its last lines above');
    }
    log.error({}, 'embedded postgres is gone: starting everything anew');
  }
}

async function runRound(
  options: StartOptions,
  apiEnv: Readonly<Record<string, string>>,
  onReady: (url: string) => void,
  lock: DataDirLock | null,
): Promise<RoundEnd> {
  const { config, log, stop, kill, show } = options;
  let database: RunningDatabase;
  try {
    show('starting the database');
    database = await startDatabase(options);
  } catch (error) {
    if (stop.aborted) return { kind: 'stopped' };
    throw error;
  }
  try {
    show('bringing the database up to date');
    await migrate({ url: database.url, log, signal: stop });
    stop.throwIfAborted();
    show('starting the API and the workers');
    const fleet = new Fleet({
      workers: config.WORKERS,
      entries: options.entries,
      env: { ...options.env, DATABASE_URL: database.url },
      apiEnv,
      log,
      onPids: (pids) => database.setDependants(pids),
    });
    void fleet.ready.then(onReady);
    kill.addEventListener('abort', () => fleet.kill());
    fleet.start();
    const roundOver = new AbortController();
    const end = await Promise.race([
      fleet.ready.then(() => idleEnd(options.idle, database.url, roundOver.signal)),
      aborted(stop).then((): RoundEnd => ({ kind: 'stopped' })),
      database.lost.then((): RoundEnd => ({ kind: 'database_lost' })),
      fleet.gaveUp.then((reason): RoundEnd => ({ kind: 'gave_up', reason })),
      directoryGone(lock, roundOver.signal),
    ]);
    roundOver.abort();
    // Of what is deleted nothing can be handed over, and everything would complain.
    if (end.kind === 'directory_gone') {
      fleet.kill();
      throw givingUp(
        `${path.resolve(config.DATA_DIR)} was deleted while it was in use, and what was in it is lost. Start again for an empty one.`,
      );
    }
    if (end.kind === 'idle' && options.idle !== undefined) withdrawAddress(options.idle.directory);
    show('stopping');
    const graceMs =
      end.kind === 'database_lost' ? LOST_GRACE_MS : config.SHUTDOWN_GRACE_MS + HAND_OVER_MS;
    await fleet.stop(graceMs);
    return end;
  } catch (error) {
    if (stop.aborted) return { kind: 'stopped' };
    throw error;
  } finally {
    await database.stop();
  }
}

async function directoryGone(lock: DataDirLock | null, signal: AbortSignal): Promise<RoundEnd> {
  if (lock === null) return new Promise(() => {});
  try {
    await lock.gone(signal);
    return { kind: 'directory_gone' };
  } catch {
    // The round is over for another reason.
    return { kind: 'stopped' };
  }
}

/** Before a database is started for nothing. @throws {LongshoreError} CONFIG_INVALID naming who has it, if that is known */
async function requireFreePort({ HOST, PORT }: Config): Promise<void> {
  if ((await listenOnce(HOST, PORT)) !== 'EADDRINUSE') return;
  const own = livingEngines().find(({ engine }) => new URL(engine.url).port === String(PORT));
  const who =
    own === undefined
      ? 'another program listens there'
      : `the server of ${own.directory} listens there`;
  throw new LongshoreError(
    'CONFIG_INVALID',
    `HOST=${HOST} PORT=${PORT} is taken: ${who}. Stop it, or set PORT to another one (0 picks a free one).`,
  );
}

function givingUp(reason: string): LongshoreError {
  return new LongshoreError('CONFIG_INVALID', `giving up: ${reason}`);
}

async function idleEnd(
  idle: IdleWatch | undefined,
  databaseUrl: string,
  signal: AbortSignal,
): Promise<RoundEnd> {
  if (idle === undefined) return new Promise(() => {});
  await idle.untilIdle(databaseUrl, signal);
  return { kind: 'idle' };
}

function startDatabase(options: StartOptions): Promise<RunningDatabase> {
  const { config, env, log, stop, entries } = options;
  if (config.DATABASE_URL !== null) return Promise.resolve(externalDatabase(config.DATABASE_URL));
  return startEmbeddedDatabase({
    entry: entries.cli,
    args: ['keep-postgres'],
    env,
    log,
    signal: stop,
  });
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
