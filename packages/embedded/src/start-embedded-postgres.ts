import { accessSync, constants, mkdirSync, realpathSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, LongshoreError, silentLogger } from '@longshore/core';
import { boundLog } from './bounded-log.ts';
import { embeddedPaths, prepareDataDirectory } from './data-directory.ts';
import { embeddedUrl } from './find-embedded-postgres.ts';
import { freePort } from './free-port.ts';
import { checkRunnable, findNativePostgres, type NativePostgres } from './native-postgres.ts';
import { isServing, readPostmaster, removeForeignLock } from './postmaster.ts';
import { chooseRunAs, type RunAs } from './run-as.ts';
import { ServerOwnership } from './server-ownership.ts';
import {
  abandonServer,
  type LaunchedServer,
  launchServer,
  stopServer,
  tailOf,
} from './server-process.ts';
import { reasonOf } from './system-error.ts';

/*
 * A real PostgreSQL from npm packages, for `npm start`, the demo and the tests.
 *
 * Everything lies in one folder: `pg` (the data), `pg.password` (mode 0600), `pg.log` (at most 8 MiB, and as
 * much in `pg.log.1`) and `pg.owner-*` (who stops the server).
 *
 * PostgreSQL's own lock file, `pg/postmaster.pid`, is what processes agree on. It names the server's pid and
 * port and says whether it is ready, so a server that somebody started, or that a killed process left
 * behind, is found there and used. Several processes may start at once: each spawns a server, PostgreSQL
 * lets one have the data directory, and the others find that one.
 *
 *   no server        -> spawn, wait until ready
 *   spawned one died -> somebody else's is starting: wait for that; else try again, a few times
 *   server starting  -> wait (after a crash it replays its log first)
 *   server ready     -> use it
 */

/** Replaying the log after a crash takes seconds; this is for a slow disk with a lot of it. */
const START_TIMEOUT_MS = 120_000;

/**
 * How often a server that ends at once is tried again. What goes away by itself: a port somebody else took,
 * processes of a killed server that still hold its shared memory.
 */
const MAX_FAILED_LAUNCHES = 8;

const POLL_MS = 10;

export interface EmbeddedPostgresOptions {
  /** Folder for data, password and log; made when missing. */
  readonly dir: string;
  readonly log?: Logger;
  /** PostgreSQL settings over ours, such as `{ fsync: 'off' }` for throw-away data. Ignored on reuse. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Gives up starting; the promise rejects and nothing is left running. */
  readonly signal?: AbortSignal;
}

export interface EmbeddedPostgres {
  /** With the password; the role is a superuser. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** The server ran already: another process started it, or left it behind when it was killed. */
  readonly reused: boolean;
  /**
   * Stops the server if it is ours, and resolves when it is gone, within 13 s; open sessions are ended.
   * The process that started the server owns it, so while the owner lives, `stop` of the others leaves
   * the server running. When the owner was killed, the first process that notices (by starting or by
   * stopping) owns it. May be called twice.
   *
   * @throws {LongshoreError} DATABASE_UNAVAILABLE when the server does not stop
   */
  stop(): Promise<void>;
}

/**
 * Starts PostgreSQL on a free port of 127.0.0.1, or finds the one that already serves `dir`. The server
 * outlives a killed parent, with all committed data, and is found again by the next start.
 *
 * @throws {LongshoreError} DATABASE_UNAVAILABLE with what to do: no package for this platform, data of
 *   another PostgreSQL version, or the last lines of the server's log
 */
export async function startEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const dir = makeWritable(options.dir);
  const { data, libraries } = embeddedPaths(dir);
  const native = findNativePostgres(libraries);
  checkRunnable(native);
  return startWith(native, chooseRunAs(native, dir, data), { ...options, dir });
}

/** @returns the real path, so that whoever comes by another path finds the same server */
function makeWritable(dir: string): string {
  try {
    mkdirSync(dir, { recursive: true });
    accessSync(dir, constants.W_OK | constants.X_OK);
    return realpathSync(dir);
  } catch (cause) {
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      `the embedded PostgreSQL can not keep its data in ${dir}: ${reasonOf(cause)}. Set DATA_DIR to a folder this user may write, or DATABASE_URL to a PostgreSQL server of your own.`,
      { cause },
    );
  }
}

/** The part after the platform's peculiarities are known. */
export async function startWith(
  native: NativePostgres,
  runAs: RunAs,
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres> {
  const { dir, log = silentLogger, settings = {}, signal } = options;
  const paths = embeddedPaths(dir);
  const password = await prepareDataDirectory(dir, native, runAs);
  const stopLogWatch = boundLog(paths.log);

  const use = (pid: number, port: number, reused: boolean): EmbeddedPostgres => {
    log.debug({ pid, port, reused, runAs: runAs.name }, 'embedded postgres is ready');
    let stopped: Promise<void> | null = null;
    const stop = async (): Promise<void> => {
      stopLogWatch();
      const isOurs = new ServerOwnership(dir, pid).claim();
      if (isOurs) await stopServer(native, paths.data, pid);
    };
    return {
      url: embeddedUrl(password, port),
      port,
      pid,
      reused,
      stop: () => {
        stopped ??= stop();
        return stopped;
      },
    };
  };

  const deadline = performance.now() + START_TIMEOUT_MS;
  let failures = 0;
  try {
    while (performance.now() < deadline) {
      const found = readPostmaster(paths.data);
      if (found !== null && isServing(found.pid, paths.data)) {
        if (found.isReady) {
          new ServerOwnership(dir, found.pid).claim();
          return use(found.pid, found.port, true);
        }
        await sleep(POLL_MS, undefined, { signal });
        continue;
      }
      if (found !== null) removeForeignLock(paths.data, found.pid);

      const port = await freePort();
      const server = launchServer({
        native,
        runAs,
        data: paths.data,
        log: paths.log,
        port,
        settings,
      });
      const ownership = new ServerOwnership(dir, server.pid);
      ownership.take();
      if (await becomesReady(server, native, paths.data, deadline, signal)) {
        ownership.removeOldRecords();
        server.release();
        return use(server.pid, port, false);
      }
      failures += 1;
      if (failures === MAX_FAILED_LAUNCHES) break;
      log.debug({ failures, reason: server.exitReason() }, 'embedded postgres did not start yet');
      await sleep(failures * 100, undefined, { signal });
    }
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      `the embedded PostgreSQL did not start (run as ${runAs.name}); the end of ${paths.log}:\n${tailOf(paths.log)}`,
    );
  } catch (error) {
    stopLogWatch();
    throw error;
  }
}

/** @returns false when the server ended, because another one has the data or because it can not run */
async function becomesReady(
  server: LaunchedServer,
  native: NativePostgres,
  data: string,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  try {
    while (server.exitReason() === null) {
      const found = readPostmaster(data);
      if (found?.pid === server.pid && found.isReady) return true;
      if (performance.now() >= deadline) {
        throw new LongshoreError(
          'DATABASE_UNAVAILABLE',
          `the embedded PostgreSQL in ${data} is not ready after ${START_TIMEOUT_MS / 1000} s`,
        );
      }
      await sleep(POLL_MS, undefined, { signal });
    }
    return false;
  } catch (error) {
    await abandonServer(native, data, server);
    throw error;
  }
}
