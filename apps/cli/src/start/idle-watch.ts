import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { osUserName } from '@longshore/runtime';
import { countHosts } from '../database/data-dir-lock.ts';
import type { IdleWatch } from './start-command.ts';

const POLL_MS = 1_000;

/**
 * An engine is idle when for `idleMs` no host was there and no task of the user was open. A database that does
 * not answer is no sign of idleness.
 */
export function idleWatch(options: {
  directory: string;
  /** Milliseconds. */
  idleMs: number;
  log: Logger;
}): IdleWatch {
  const { directory, idleMs, log } = options;
  return {
    directory,
    untilIdle: async (databaseUrl, signal) => {
      const database = openDatabase({ url: databaseUrl, log: silentLogger, poolSize: 1 });
      const isBusy = async (): Promise<boolean> => {
        if (countHosts(directory) > 0) return true;
        try {
          const { principalId } = await database.identityStore.ensure('stdio', osUserName());
          return await database.taskStore.hasOpen(principalId);
        } catch {
          return true;
        }
      };
      try {
        let busyAt = performance.now();
        while (!signal.aborted) {
          if (await isBusy()) busyAt = performance.now();
          else if (performance.now() - busyAt >= idleMs) break;
          await sleep(Math.min(POLL_MS, idleMs), undefined, { signal }).catch(() => {});
        }
        if (!signal.aborted) log.info({ idleMs }, 'nobody needs this engine: it ends');
      } finally {
        await database.close();
      }
    },
  };
}
