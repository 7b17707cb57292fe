import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, LongshoreError } from '@longshore/core';
import { startEmbeddedPostgres } from '@longshore/embedded';
import { recordKeeper } from './data-dir-lock.ts';
import { embeddedDirectory } from './embedded-directory.ts';
import { isRunning } from './process-identity.ts';

/*
 * A process of its own that starts the embedded PostgreSQL and stops it: on SIGTERM, and when the process
 * that started this one is gone, however it ended. In the second case the API and the workers are still
 * giving back what they run, so it waits for them first.
 *
 * It ends when the server does; then whoever started it starts it anew.
 */

export interface PostgresKeeperOptions {
  /** DATA_DIR, absolute. */
  readonly dataDir: string;
  /** Longest wait for processes that use the server, when the parent is gone, in milliseconds. */
  readonly dependantsGraceMs: number;
  readonly log: Logger;
}

const POLL_MS = 250;

/**
 * @returns the exit code, when the server is stopped
 * @throws {LongshoreError} CONFIG_INVALID when DATA_DIR can not be written
 */
export async function keepPostgres(options: PostgresKeeperOptions): Promise<number> {
  const { dataDir, log, dependantsGraceMs } = options;
  const stopping = new AbortController();
  let orphaned = false;
  let dependants: readonly number[] = [];
  const stop = (): void => stopping.abort();
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  process.on('disconnect', () => {
    orphaned = true;
    stop();
  });
  process.on('message', (message) => {
    dependants = parseDependants(message) ?? dependants;
  });
  const record = recordKeeper(dataDir);
  try {
    const dir = embeddedDirectory(dataDir);
    const postgres = await startEmbeddedPostgres({ dir, log, signal: stopping.signal });
    // With a callback an error goes there instead of ending this process before the server is stopped.
    if (process.connected) process.send?.({ kind: 'ready', url: postgres.url }, () => {});
    while (!stopping.signal.aborted && isRunning(postgres.pid)) {
      await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
    if (!stopping.signal.aborted) {
      log.error({ pid: postgres.pid }, 'embedded postgres died');
      return 1;
    }
    if (orphaned) await waitUntilGone(() => dependants, dependantsGraceMs);
    // What could say whose server it is was deleted; it would notice itself within a minute.
    if (!existsSync(dir) && isRunning(postgres.pid)) process.kill(postgres.pid, 'SIGQUIT');
    else await postgres.stop();
    return 0;
  } catch (error) {
    if (stopping.signal.aborted) return 0;
    if (error instanceof LongshoreError) log.error({ code: error.code }, error.message);
    else log.error({ err: error }, 'embedded postgres could not be kept');
    return 1;
  } finally {
    record.release();
  }
}

async function waitUntilGone(pids: () => readonly number[], timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  while (pids().some(isRunning) && performance.now() < until) await sleep(POLL_MS);
}

function parseDependants(message: unknown): readonly number[] | null {
  if (typeof message !== 'object' || message === null || !('dependants' in message)) return null;
  const { dependants } = message;
  return Array.isArray(dependants) && dependants.every(Number.isInteger) ? dependants : null;
}
