import { createHash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { silentLogger } from '@longshore/core';
import { migrate, readMigrations } from '@longshore/database/migrator';
import pg from 'pg';
import { testDatabaseUrl } from '../test-servers.ts';
import { processExists } from './process-exists.ts';

/*
 * A database of its own for each test file (or test), cloned from a migrated template. Cloning takes about
 * 90 ms, migrating much longer. The template is named after the content of the migrations, so an edited
 * migration gets a new one; it is made under an advisory lock, because test files run at the same time.
 *
 * The names tell which process made a database: databases of processes that are gone are dropped by the
 * next run on the same machine.
 */

const TEMPLATE_PREFIX = 'longshore_template_';
const CLONE_PREFIX = 'longshore_test_';

/** Of this machine, so that test runs of another one that use the same server are left alone. */
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** Advisory lock on the server's maintenance database; any number that nobody else uses. */
const LOCK = 7_217_001;

/** Templates of migrations nobody has worked with for a week. */
const TEMPLATE_AGE_DAYS = 7;

export interface TestDatabase {
  /** URL of a role that owns the database. */
  readonly url: string;
  /** Drops it and ends its sessions. May be called twice. */
  drop(): Promise<void>;
}

export interface TestDatabaseOptions {
  /** Without the tables of Longshore; false by default. */
  readonly empty?: boolean;
}

let swept: Promise<void> | null = null;

/**
 * Makes a database with the tables of Longshore and of its queue on the server of TEST_DATABASE_URL.
 *
 * @throws {Error} saying what to set when there is no server
 */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const adminUrl = testDatabaseUrl();
  swept ??= sweepTestDatabases();
  await swept;
  const name = `${CLONE_PREFIX}${HOST}_${process.pid}_${randomUUID().slice(0, 8)}`;
  const template = options.empty === true ? 'template0' : await ensureTemplate(adminUrl);
  await withAdmin(adminUrl, (admin) => admin.query(`CREATE DATABASE ${name} TEMPLATE ${template}`));
  return {
    url: urlOf(adminUrl, name),
    drop: () =>
      withAdmin(adminUrl, async (admin) => {
        await admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
      }),
  };
}

/** @returns the template's name */
async function ensureTemplate(adminUrl: string): Promise<string> {
  const checksums = readMigrations().map((migration) => `${migration.name} ${migration.checksum}`);
  const hash = createHash('sha256').update(checksums.join('\n')).digest('hex').slice(0, 16);
  const name = `${TEMPLATE_PREFIX}${hash}`;
  await withAdmin(adminUrl, async (admin) => {
    if (await databaseExists(admin, name)) return;
    await admin.query('SELECT pg_advisory_lock($1)', [LOCK]);
    if (await databaseExists(admin, name)) return;
    // Made under another name: a run that is killed in between leaves no half template.
    const draft = `${CLONE_PREFIX}${HOST}_${process.pid}_template`;
    await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
    await admin.query(`CREATE DATABASE ${draft} TEMPLATE template0`);
    await migrate({ url: urlOf(adminUrl, draft) });
    await prepareQueue(urlOf(adminUrl, draft));
    await admin.query(`COMMENT ON DATABASE ${draft} IS '${new Date().toISOString()}'`);
    await admin.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  });
  return name;
}

/** Of Postgres as the queue: its first start costs more than the clone. Loaded by the one process that makes the template. */
async function prepareQueue(databaseUrl: string): Promise<void> {
  const { openMessaging } = await import('@longshore/queue');
  const { jobs } = openMessaging({ redisUrl: null, databaseUrl, log: silentLogger });
  await jobs.start();
  await jobs.stop();
}

async function databaseExists(admin: pg.Client, name: string): Promise<boolean> {
  const { rowCount } = await admin.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  return rowCount === 1;
}

/** Drops what dead test runs left on the server. `createTestDatabase` does it once per process. */
export function sweepTestDatabases(): Promise<void> {
  return withAdmin(testDatabaseUrl(), dropLeftovers);
}

async function dropLeftovers(admin: pg.Client): Promise<void> {
  const { rows } = await admin.query<{ datname: string; comment: string | null }>(
    `SELECT datname, shobj_description(oid, 'pg_database') AS comment FROM pg_database
     WHERE starts_with(datname, $1) OR starts_with(datname, $2)`,
    [`${CLONE_PREFIX}${HOST}_`, TEMPLATE_PREFIX],
  );
  const oldest = Date.now() - TEMPLATE_AGE_DAYS * 86_400_000;
  for (const { datname, comment } of rows) {
    const pid = Number(datname.split('_')[3]);
    const isLeftover = datname.startsWith(TEMPLATE_PREFIX)
      ? Date.parse(comment ?? '') < oldest
      : !processExists(pid);
    if (isLeftover) await admin.query(`DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
  }
}

async function withAdmin<T>(url: string, use: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.end();
  }
}

function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}
