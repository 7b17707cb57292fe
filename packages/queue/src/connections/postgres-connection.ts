import type { Pool, PoolConfig } from 'pg';
import { endsWithin } from './deadline.ts';

/** How long connections are given to say goodbye. */
const END_MS = 1_000;

/**
 * Connection options with time limits for everything, for a client or a pool.
 *
 * A URL may carry `options` of its own, which pg would let replace ours (BullMQ needs its search_path), so
 * they are joined.
 *
 * @param answerMs milliseconds until a connection or an answer is given up
 * @param settings of the server for this connection, such as `search_path`; simple values without spaces
 */
export function postgresConfig(
  databaseUrl: string,
  applicationName: string,
  answerMs: number,
  settings: Readonly<Record<string, string>> = {},
): PoolConfig {
  const url = new URL(databaseUrl);
  const ofUrl = url.searchParams.get('options');
  url.searchParams.delete('options');
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const options = [...(ofUrl === null ? [] : [ofUrl]), ...ours].join(' ');
  return {
    connectionString: url.href,
    ...(options === '' ? {} : { options }),
    application_name: applicationName,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** Ends a pool, but waits only a second: a query to a lost server ends by its own time-out. */
export async function endPool(pool: Pool): Promise<void> {
  if (!pool.ending && !pool.ended) await endsWithin(pool.end(), END_MS);
}
