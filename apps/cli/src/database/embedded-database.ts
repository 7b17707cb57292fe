import { type Logger, LongshoreError } from '@longshore/core';
import { Child } from '../processes/child-process.ts';
import { POSTGRES_STOP_MS } from '../processes/hand-over.ts';

export interface EmbeddedDatabaseOptions {
  /** Absolute path of the program that runs `keepPostgres`, and how to make it do so. */
  readonly entry: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

/** A database for the processes we start. */
export interface RunningDatabase {
  readonly url: string;
  /** Resolves when it is gone without having been stopped. */
  readonly lost: Promise<void>;
  /** Says which processes must be gone before it may stop by itself, should we be killed. */
  setDependants(pids: readonly number[]): void;
  stop(): Promise<void>;
}

/**
 * Starts the embedded PostgreSQL under a keeper process, which stops it even if we are killed.
 *
 * @throws {LongshoreError} DATABASE_UNAVAILABLE when it does not start; the keeper has logged why
 */
export async function startEmbeddedDatabase(
  options: EmbeddedDatabaseOptions,
): Promise<RunningDatabase> {
  const { entry, args, env, log, signal } = options;
  signal.throwIfAborted();
  const keeper = new Child({ name: 'postgres keeper', entry, args, env, log });
  const stop = (): Promise<void> => keeper.stop(POSTGRES_STOP_MS);
  const stopEarly = (): void => void stop();
  signal.addEventListener('abort', stopEarly);
  const first = await Promise.race([keeper.ready, keeper.exited]);
  signal.removeEventListener('abort', stopEarly);
  if (!('url' in first) || first.url === null) {
    signal.throwIfAborted();
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      'the embedded PostgreSQL did not start: see the last lines above',
    );
  }
  return {
    url: first.url,
    lost: keeper.exited.then(() => {}),
    setDependants: (pids) => keeper.send({ dependants: pids }),
    stop,
  };
}

/** A server that others look after. */
export function externalDatabase(url: string): RunningDatabase {
  return { url, lost: new Promise(() => {}), setDependants: () => {}, stop: async () => {} };
}
