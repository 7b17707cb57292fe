import { randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, LongshoreError } from '@longshore/core';
import { HAND_OVER_MS, POSTGRES_STOP_MS } from '../processes/hand-over.ts';
import { isRunning, processIdentity } from './process-identity.ts';

/*
 * At most one `longshore start` or `migrate` uses the embedded database of a DATA_DIR: the one that ends
 * first would stop the server under the other.
 *
 * Each puts a record of its own into DATA_DIR/running and then looks for others. Of two that come at once
 * at least one sees the other; who sees another one takes its record back and tries again a few times
 * after a random pause. Records have names that are never used again, so removing the record of a process
 * that was killed can not hit anybody else's.
 *
 * The process that keeps PostgreSQL has a record too, of another kind: when its `start` was killed it is
 * about to stop the server, and the next `start` waits for that instead of finding the server gone. So has
 * each host's `longshore stdio`, by which an engine in the background knows that it is wanted.
 */

export interface DataDirLock {
  release(): void;
  /** Resolves when somebody has deleted the directory under us; never once `signal` fires. */
  gone(signal: AbortSignal): Promise<void>;
}

export interface LockOptions {
  readonly log: Logger;
  readonly signal: AbortSignal;
  /** SHUTDOWN_GRACE_MS, for a `start` that was killed and whose processes are still stopping. */
  readonly graceMs: number;
}

type Role = 'command' | 'keeper' | 'host';

const ROLES: readonly Role[] = ['command', 'keeper', 'host'];

interface LockRecord {
  readonly pid: number;
  readonly identity: string | null;
  readonly role: Role;
}

const TRIES = 5;
const MAX_PAUSE_MS = 200;
const POLL_MS = 100;
const GONE_POLL_MS = 500;

/**
 * @throws {LongshoreError} CONFIG_INVALID naming the process that uses the directory, or why it can not
 *   be written
 */
export async function lockDataDir(dataDir: string, options: LockOptions): Promise<DataDirLock> {
  const { signal } = options;
  for (let tries = 1; ; tries += 1) {
    const own = addRecord(dataDir, 'command');
    const other = others(dataDir, own.file).find(({ role }) => role === 'command');
    if (other === undefined) {
      try {
        await untilKeeperGone(dataDir, own.file, options);
        return own;
      } catch (error) {
        own.release();
        throw error;
      }
    }
    own.release();
    if (tries === TRIES) {
      throw new LongshoreError(
        'CONFIG_INVALID',
        `DATA_DIR ${dataDir} is in use by process ${other.pid}. Stop that one first, or set DATA_DIR to another folder, or DATABASE_URL to a PostgreSQL server that several may share.`,
      );
    }
    await sleep(Math.random() * MAX_PAUSE_MS, undefined, { signal });
  }
}

/** The record of the process that keeps PostgreSQL, on behalf of one that has the lock. */
export function recordKeeper(dataDir: string): DataDirLock {
  return addRecord(dataDir, 'keeper');
}

/** The record of a `longshore stdio`, which uses the engine of the directory. */
export function recordHost(directory: string): DataDirLock {
  return addRecord(directory, 'host');
}

/** How many `longshore stdio` use the engine of the directory. */
export function countHosts(directory: string): number {
  return others(directory, '').filter(({ role }) => role === 'host').length;
}

/** The process that has the directory's lock, or is about to get it; null: none. */
export function lockHolder(directory: string): number | null {
  return others(directory, '').find(({ role }) => role === 'command')?.pid ?? null;
}

async function untilKeeperGone(dataDir: string, own: string, options: LockOptions): Promise<void> {
  const until = performance.now() + options.graceMs + HAND_OVER_MS + POSTGRES_STOP_MS;
  let hasSaid = false;
  for (;;) {
    const keeper = others(dataDir, own).find(({ role }) => role === 'keeper');
    // One that takes too long does not keep us: its server is found and used.
    if (keeper === undefined || performance.now() >= until) return;
    if (!hasSaid) options.log.info({ pid: keeper.pid }, 'waiting for the last run to end');
    hasSaid = true;
    await sleep(POLL_MS, undefined, { signal: options.signal });
  }
}

function addRecord(dataDir: string, role: Role): DataDirLock & { readonly file: string } {
  const directory = path.join(dataDir, 'running');
  const file = path.join(directory, `${randomUUID()}.json`);
  const record: LockRecord = { pid: process.pid, identity: processIdentity(process.pid), role };
  try {
    mkdirSync(directory, { recursive: true });
    // Renamed into place: others never read half a record.
    writeFileSync(`${file}.new`, JSON.stringify(record));
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw new LongshoreError(
      'CONFIG_INVALID',
      `DATA_DIR ${dataDir} can not be written: ${cause instanceof Error ? cause.message : cause}`,
      { cause },
    );
  }
  return {
    file,
    release: () => rmSync(file, { force: true }),
    gone: async (signal) => {
      while (existsSync(file)) await sleep(GONE_POLL_MS, undefined, { signal });
    },
  };
}

/** The records of other living processes; removes those of dead ones. */
function others(dataDir: string, own: string): LockRecord[] {
  const directory = path.join(dataDir, 'running');
  if (!existsSync(directory)) return [];
  return readdirSync(directory).flatMap((name) => {
    const file = path.join(directory, name);
    if (file === own || !name.endsWith('.json')) return [];
    const record = read(file);
    if (record !== null && isAlive(record)) return [record];
    rmSync(file, { force: true });
    return [];
  });
}

function read(file: string): LockRecord | null {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof record !== 'object' || record === null) return null;
    if (!('pid' in record) || typeof record.pid !== 'number') return null;
    const identity = 'identity' in record ? record.identity : null;
    return {
      pid: record.pid,
      identity: typeof identity === 'string' ? identity : null,
      role: ROLES.find((role) => 'role' in record && record.role === role) ?? 'command',
    };
  } catch {
    return null;
  }
}

function isAlive({ pid, identity }: LockRecord): boolean {
  return identity === null ? isRunning(pid) : processIdentity(pid) === identity;
}
