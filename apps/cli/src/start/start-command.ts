import path from 'node:path';
import type { Config } from '@longshore/config';
import type { Logger } from '@longshore/core';
import { migrate } from '@longshore/database';
import { type DataDirLock, lockDataDir } from '../database/data-dir-lock.ts';
import {
  externalDatabase,
  type RunningDatabase,
  startEmbeddedDatabase,
} from '../database/embedded-database.ts';
import { HAND_OVER_MS } from '../hand-over.ts';
import { Fleet } from './fleet.ts';

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
  /** Absolute paths of the programs. */
  readonly entries: { readonly api: string; readonly worker: string; readonly cli: string };
}

/** Processes whose database is gone have nothing to hand over. */
const LOST_GRACE_MS = 1_000;

/** An embedded server that dies sooner than this after its start, several times, will not live. */
const STABLE_MS = 30_000;
const MAX_QUICK_LOSSES = 3;

/** How one round, from the start of the database to its stop, ended. */
type RoundEnd =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'database_lost' }
  | { readonly kind: 'gave_up'; readonly reason: string };

/**
 * Runs API, workers and, unless DATABASE_URL is set, PostgreSQL, until `stop`. When the embedded
 * server dies it comes back on another port, so everything is started anew; tasks survive in it.
 *
 * @returns the exit code
 * @throws {LongshoreError} when the database can not be started or migrated
 */
export async function startCommand(options: StartOptions): Promise<number> {
  const { config, log, stop } = options;
  if (config.DATABASE_URL !== null) return runRounds(options);
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
    return await runRounds(options);
  } finally {
    lock.release();
  }
}

async function runRounds(options: StartOptions): Promise<number> {
  const { log, print } = options;
  let quickLosses = 0;
  let port = options.env['PORT'];
  let announced = false;
  const onReady = (url: string): void => {
    if (URL.canParse(url)) port = new URL(url).port || port;
    if (announced) log.info({ url }, 'everything runs again');
    else print(`longshore ready at ${url}`);
    announced = true;
  };
  for (;;) {
    const startedAt = performance.now();
    const round = await runRound({ ...options, env: { ...options.env, PORT: port } }, onReady);
    if (round.kind === 'stopped') return 0;
    if (round.kind === 'gave_up') {
      log.error({}, `giving up: ${round.reason}`);
      return 1;
    }
    quickLosses = performance.now() - startedAt < STABLE_MS ? quickLosses + 1 : 1;
    if (quickLosses === MAX_QUICK_LOSSES) {
      log.error({ quickLosses }, 'giving up: the embedded postgres dies again and again');
      return 1;
    }
    log.error({}, 'embedded postgres is gone: starting everything anew');
  }
}

async function runRound(options: StartOptions, onReady: (url: string) => void): Promise<RoundEnd> {
  const { config, log, stop, kill } = options;
  let database: RunningDatabase;
  try {
    database = await startDatabase(options);
  } catch (error) {
    if (stop.aborted) return { kind: 'stopped' };
    throw error;
  }
  try {
    await migrate({ url: database.url, log, signal: stop });
    const fleet = new Fleet({
      workers: config.WORKERS,
      entries: options.entries,
      env: { ...options.env, DATABASE_URL: database.url },
      log,
      onPids: (pids) => database.setDependants(pids),
    });
    void fleet.ready.then(onReady);
    kill.addEventListener('abort', () => fleet.kill());
    fleet.start();
    const end = await Promise.race([
      aborted(stop).then((): RoundEnd => ({ kind: 'stopped' })),
      database.lost.then((): RoundEnd => ({ kind: 'database_lost' })),
      fleet.gaveUp.then((reason): RoundEnd => ({ kind: 'gave_up', reason })),
    ]);
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
