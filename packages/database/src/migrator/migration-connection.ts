import { setTimeout as sleep } from 'node:timers/promises';
import { diagnosisOf, type Logger, LongshoreError } from '@longshore/core';
import pg from 'pg';

const CONNECT_TIMEOUT_MS = 10_000;

/** For statements that read or write the history; a migration itself takes what it takes. */
const STATEMENT_TIMEOUT_MS = 30_000;

/** A server that is cut off never says goodbye. */
const DISCONNECT_TIMEOUT_MS = 2_000;

/**
 * Connects, hands the client to `use`, and disconnects.
 *
 * @throws {LongshoreError} DATABASE_UNAVAILABLE when the database does not let us in within 10 s. The
 *   message names host, port and database and never the password.
 */
export async function withConnection<T>(
  url: string,
  log: Logger,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = connectionTo(url);
  // Said while no query runs; the next query fails then, and says it to its caller.
  client.on('error', (error) => log.warn({ err: error.message }, 'database connection broke'));
  try {
    await client.connect();
  } catch (cause) {
    await disconnect(client);
    throw unavailable(
      `${client.host}:${client.port}/${client.database ?? ''}`,
      whyNot(cause),
      cause,
    );
  }
  try {
    return await use(client);
  } finally {
    await disconnect(client);
  }
}

async function disconnect(client: pg.Client): Promise<void> {
  const ended = client.end().catch(() => {});
  await Promise.race([ended, sleep(DISCONNECT_TIMEOUT_MS, undefined, { ref: false })]);
}

function connectionTo(url: string): pg.Client {
  try {
    return new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      application_name: 'longshore migrator',
    });
  } catch {
    // The cause is left out: it may quote the URL.
    throw unavailable('DATABASE_URL', 'it is not a valid postgresql:// URL');
  }
}

function unavailable(where: string, reason: string, cause?: unknown): LongshoreError {
  return new LongshoreError(
    'DATABASE_UNAVAILABLE',
    `the database ${where} does not let us in: ${reason}. Check DATABASE_URL, and that the server runs and can be reached from here.`,
    cause === undefined ? {} : { cause },
  );
}

function whyNot(error: unknown): string {
  const reason = diagnosisOf(error);
  return reason === 'timeout expired' ? `no answer within ${CONNECT_TIMEOUT_MS / 1000} s` : reason;
}
