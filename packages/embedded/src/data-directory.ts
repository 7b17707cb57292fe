import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { LongshoreError } from '@longshore/core';
import type { NativePostgres } from './native-postgres.ts';
import { exists } from './postmaster.ts';
import type { RunAs } from './run-as.ts';
import { reasonOf } from './system-error.ts';
import { writeOnce } from './write-once.ts';

/** PostgreSQL writes data that only the same major version reads. */
const MAJOR_VERSION = '18';

/** initdb takes a second; a very slow disk gets two minutes. */
const INITDB_TIMEOUT_MS = 120_000;

const run = promisify(execFile);

/** Where things are inside the embedded folder. */
export function embeddedPaths(dir: string) {
  return {
    data: path.join(dir, 'pg'),
    password: path.join(dir, 'pg.password'),
    log: path.join(dir, 'pg.log'),
    libraries: path.join(dir, 'pg.lib'),
  } as const;
}

/**
 * Makes the data directory unless it exists. It is made under another name and renamed at the end, so a
 * process killed in the middle leaves nothing half-made and of two at once one wins.
 *
 * @returns the password of the role `postgres`
 * @throws {LongshoreError} DATABASE_UNAVAILABLE when initdb fails, or other software wrote the data
 */
export async function prepareDataDirectory(
  dir: string,
  native: NativePostgres,
  runAs: RunAs,
): Promise<string> {
  const { data, password } = embeddedPaths(dir);
  if (!existsSync(data)) {
    writeOnce(password, randomBytes(24).toString('base64url'));
    if (runAs.owner !== null) chownSync(password, runAs.owner.uid, runAs.owner.gid);
    await removeAbandoned(dir);
    await initialise(dir, native, runAs);
  }
  checkVersion(data);
  if (!existsSync(password)) {
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      `${password} is missing, and with it the password of the data in ${data}. Put it back from a backup, or move the folder away to start empty.`,
    );
  }
  return readFileSync(password, 'utf8').trim();
}

async function initialise(dir: string, native: NativePostgres, runAs: RunAs): Promise<void> {
  const { data, password } = embeddedPaths(dir);
  const draft = `${data}.init-${process.pid}`;
  mkdirSync(draft, { mode: 0o700 });
  if (runAs.owner !== null) chownSync(draft, runAs.owner.uid, runAs.owner.gid);
  const [program, args] = runAs.command(native.program('initdb'), [
    `--pgdata=${draft}`,
    '--username=postgres',
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--no-instructions',
  ]);
  try {
    await run(program, args, {
      ...runAs.ids,
      timeout: INITDB_TIMEOUT_MS,
      ...(native.env === undefined ? {} : { env: native.env }),
    });
    renameSync(draft, data);
  } catch (cause) {
    await rm(draft, { recursive: true, force: true });
    if (existsSync(data)) return; // Another process was first.
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      `initdb could not make ${data} (run as ${runAs.name}): ${reasonOf(cause)}`,
      { cause },
    );
  }
}

/** Drafts of processes that were killed while they made the data directory. */
async function removeAbandoned(dir: string): Promise<void> {
  for (const name of readdirSync(dir)) {
    const pid = /^pg\.init-(\d+)$/.exec(name)?.[1];
    if (pid !== undefined && (!exists(Number(pid)) || Number(pid) === process.pid)) {
      // Its initdb may outlive it for a moment and still add files.
      await rm(path.join(dir, name), { recursive: true, force: true, maxRetries: 20 });
    }
  }
}

function checkVersion(data: string): void {
  const version = readFileSync(path.join(data, 'PG_VERSION'), 'utf8').trim();
  if (version === MAJOR_VERSION) return;
  throw new LongshoreError(
    'DATABASE_UNAVAILABLE',
    `${data} was written by PostgreSQL ${version} and this is ${MAJOR_VERSION}. Move the folder away to start empty, or carry the data over with pg_dump of version ${version}.`,
  );
}
