import { accessSync, constants, existsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '@longshore/config';
import { diagnosisOf, silentLogger } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { assertMigrated, serverVersion } from '@longshore/database/migrator';
import { findEmbeddedPostgres } from '@longshore/embedded';
import { inspectRedis } from '@longshore/queue';
import { lockHolder } from '../database/data-dir-lock.ts';
import { embeddedDirectory } from '../database/embedded-directory.ts';
import { listenOnce } from '../start/listen-once.ts';

/** What a check found. `fix` says what to do, and is there when something must or should be done. */
export interface Finding {
  readonly check: string;
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly found: string;
  readonly fix?: string;
}

/** package.json, `engines`. */
const NODE = { major: 20, minor: 19 };
/** The oldest that CI runs the tests with. */
const POSTGRES_MAJOR = 14;
/** BullMQ 6 needs it; 6.2 is what it recommends. */
const REDIS_MAJOR = 6;

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const fits = major > NODE.major || (major === NODE.major && minor >= NODE.minor);
  return fits
    ? { check: 'Node.js', verdict: 'ok', found: version }
    : {
        check: 'Node.js',
        verdict: 'problem',
        found: version,
        fix: `install Node.js ${NODE.major}.${NODE.minor} or newer`,
      };
}

export function checkDataDir(dataDir: string): Finding {
  const check = 'DATA_DIR';
  const wanted = path.resolve(dataDir);
  let nearest = wanted;
  while (!existsSync(nearest) && path.dirname(nearest) !== nearest) nearest = path.dirname(nearest);
  if (!statSync(nearest).isDirectory() || !isWritable(nearest)) {
    return {
      check,
      verdict: 'problem',
      found: `${nearest} is no folder that can be written`,
      fix: `make it writable for this user, or set DATA_DIR to another folder`,
    };
  }
  const holder = lockHolder(wanted);
  const use = holder === null ? '' : `, in use by process ${holder}`;
  return { check, verdict: 'ok', found: `${wanted}${existsSync(wanted) ? use : ', to be made'}` };
}

export async function checkPort({ HOST, PORT, DATA_DIR }: Config): Promise<Finding> {
  const check = 'PORT';
  const problem = await listenOnce(HOST, PORT);
  if (problem === null) return { check, verdict: 'ok', found: `${HOST}:${PORT} is free` };
  const holder = lockHolder(path.resolve(DATA_DIR));
  if (problem === 'EADDRINUSE' && holder !== null) {
    return { check, verdict: 'ok', found: `${HOST}:${PORT} is taken, by what runs in DATA_DIR` };
  }
  return {
    check,
    verdict: 'problem',
    found: `${HOST}:${PORT} can not be listened on: ${problem}`,
    fix:
      problem === 'EADDRINUSE'
        ? 'stop who uses it, or set PORT to another one (0 picks a free one)'
        : 'set HOST to an address of this machine, and PORT above 1023',
  };
}

export async function checkDatabase({
  DATABASE_URL,
  DATA_DIR,
  LEASE_MS,
}: Config): Promise<Finding[]> {
  const check = 'database';
  const url = DATABASE_URL ?? findEmbeddedPostgres(embeddedDirectory(path.resolve(DATA_DIR)));
  if (url === null) {
    return [{ check, verdict: 'ok', found: 'the embedded PostgreSQL, which `start` starts' }];
  }
  try {
    const { major, text } = await serverVersion(url);
    const version: Finding =
      major >= POSTGRES_MAJOR
        ? { check, verdict: 'ok', found: `PostgreSQL ${text}` }
        : {
            check,
            verdict: 'problem',
            found: `PostgreSQL ${text}`,
            fix: `use PostgreSQL ${POSTGRES_MAJOR} or newer`,
          };
    const migrations = await checkMigrations(url);
    if (migrations.verdict !== 'ok') return [version, migrations];
    const database = openDatabase({ url, log: silentLogger, poolSize: 1 });
    try {
      return [
        version,
        migrations,
        await checkWorkers(database, LEASE_MS),
        ...(await checkTools(database, LEASE_MS)),
      ];
    } finally {
      await database.close();
    }
  } catch (error) {
    const fix =
      'start PostgreSQL, or mend DATABASE_URL (postgresql://user:password@host:port/name)';
    return [{ check, verdict: 'problem', found: diagnosisOf(error), fix }];
  }
}

async function checkMigrations(url: string): Promise<Finding> {
  const check = 'migrations';
  try {
    await assertMigrated({ url });
    return { check, verdict: 'ok', found: 'all applied' };
  } catch (error) {
    const fix = 'run "longshore migrate" with the same DATABASE_URL, or a newer Longshore';
    return { check, verdict: 'problem', found: diagnosisOf(error), fix };
  }
}

async function checkWorkers({ catalogueStore }: Database, leaseMs: number): Promise<Finding> {
  const check = 'workers';
  const { workers } = await catalogueStore.presence(leaseMs);
  if (workers > 0) {
    return { check, verdict: 'ok', found: workers === 1 ? 'one is running' : `${workers} run` };
  }
  return {
    check,
    verdict: 'warning',
    found: 'no worker is running: there are no tools, and tasks wait',
    fix: 'start one with the same DATABASE_URL and REDIS_URL ("longshore worker"), or everything with "longshore start"',
  };
}

/** Tools that workers offer in more than one form: of one plugin an upgrade, of two a mistake. */
async function checkTools({ catalogueStore }: Database, leaseMs: number): Promise<Finding[]> {
  const check = 'tools';
  const differing = await catalogueStore.differing(leaseMs);
  if (differing.length === 0) {
    return [{ check, verdict: 'ok', found: 'the workers agree on them' }];
  }
  return differing.map(({ name, plugins, versions }): Finding => {
    if (plugins.length === 1) {
      const found = `'${name}' has several versions at once (${versions.join(', ')}): each call is run by the one it was made for`;
      return { check, verdict: 'ok', found };
    }
    return {
      check,
      verdict: 'warning',
      found: `'${name}' is a tool of ${plugins.length} plugins (${versions.join(', ')}), and clients see one of them`,
      fix: 'rename one of them, or load only one of the plugins (PLUGINS)',
    };
  });
}

export async function checkRedis(url: string | null): Promise<Finding[]> {
  if (url === null) {
    return [
      {
        check: 'Redis',
        verdict: 'ok',
        found: 'none: PostgreSQL is queue and bus, at about half the throughput',
      },
    ];
  }
  try {
    const { version, maxmemoryPolicy: policy } = await inspectRedis(url);
    const isNew = Number(version.split('.')[0]) >= REDIS_MAJOR;
    return [
      {
        check: 'Redis',
        verdict: isNew ? 'ok' : 'problem',
        found: version,
        ...(isNew ? {} : { fix: `use Redis ${REDIS_MAJOR}.2 or newer` }),
      },
      {
        check: 'Redis memory',
        verdict: policy === 'noeviction' ? 'ok' : 'warning',
        found: `maxmemory-policy ${policy ?? 'unknown'}`,
        ...(policy === 'noeviction'
          ? {}
          : {
              fix: 'redis-cli CONFIG SET maxmemory-policy noeviction, and so in redis.conf: jobs must not be evicted',
            }),
      },
    ];
  } catch (error) {
    return [
      {
        check: 'Redis',
        verdict: 'problem',
        found: diagnosisOf(error),
        fix: 'start Redis, mend REDIS_URL, or unset it to use PostgreSQL alone',
      },
    ];
  }
}

function isWritable(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
