import { type Logger, LongshoreError } from '@longshore/core';
import pg from 'pg';

export interface PoolOptions {
  /** `postgresql://user:password@host:port/database`. */
  readonly url: string;
  readonly log: Logger;
  /** Most connections of this process. */
  readonly poolSize: number;
  /** Milliseconds to wait for a free or a new connection. */
  readonly connectTimeoutMs: number;
  /** Milliseconds after which Postgres cancels a statement. */
  readonly statementTimeoutMs: number;
}

/** Beyond the server's own time-out: only a server or network that is gone does not answer by then. */
const ANSWER_GRACE_MS = 2_000;

/** A transaction of ours that is idle this long belongs to a process that hangs; it holds row locks. */
const IDLE_TRANSACTION_MS = 10_000;

/**
 * What each connection is told first.
 * - TimeZone: @prisma/adapter-pg cuts off the offset of a timestamptz and takes the rest for UTC.
 * - No hash joins, merge joins and sequential scans: every statement here reads few rows through an index.
 *   With nested loops a multi-row update meets its rows in the order of its sorted input, which is what
 *   keeps concurrent updates from deadlocks, and a table that grew since it was analysed gets no bad plan.
 */
const SESSION_SETTINGS = `
  SELECT set_config('TimeZone', 'UTC', false),
         set_config('statement_timeout', $1, false),
         set_config('idle_in_transaction_session_timeout', $2, false),
         set_config('enable_hashjoin', 'off', false),
         set_config('enable_mergejoin', 'off', false),
         set_config('enable_seqscan', 'off', false)`;

/**
 * A pool that connects on first use, again after a restart of Postgres, and never waits without end.
 *
 * @throws {LongshoreError} CONFIG_INVALID, without showing the URL, which holds a password
 */
export function createPool(options: PoolOptions): pg.Pool {
  // Checked here because the error of URL shows the whole URL.
  if (!URL.canParse(options.url)) {
    throw new LongshoreError(
      'CONFIG_INVALID',
      'DATABASE_URL is not a URL. It looks like postgresql://user:password@host:5432/database.',
    );
  }
  // The pool waits for what it returns, which @types/pg does not know.
  const onConnect = (client: pg.ClientBase): unknown => {
    // Out of the pool and between two statements nobody else listens, and that would end the process. The
    // statement that comes next fails by itself.
    client.on('error', (error) => {
      options.log.debug({ error: error.message }, 'a database connection broke');
    });
    return client.query(SESSION_SETTINGS, [
      String(options.statementTimeoutMs),
      String(IDLE_TRANSACTION_MS),
    ]);
  };
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.poolSize,
    connectionTimeoutMillis: options.connectTimeoutMs,
    query_timeout: options.statementTimeoutMs + ANSWER_GRACE_MS,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    application_name: 'longshore',
    onConnect,
  });
  pool.on('error', (error) => {
    options.log.warn({ error: error.message }, 'an idle database connection broke');
  });
  return pool;
}

/** `host:port/database`: what a message may say about where the database is. */
export function serverName(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}
