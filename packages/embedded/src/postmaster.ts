import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { hasCode } from './system-error.ts';

/** What `postmaster.pid` says about the server of a data directory. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  /** It accepts connections. */
  readonly isReady: boolean;
}

/** Lines of postmaster.pid (PostgreSQL source, miscadmin.h, LOCK_FILE_LINE_*), counted from zero. */
const LINE = { pid: 0, port: 3, status: 7 };

/** @returns null when no server has the data directory, as far as the file tells */
export function readPostmaster(data: string): Postmaster | null {
  let lines: string[];
  try {
    lines = readFileSync(lockFile(data), 'utf8').split('\n');
  } catch {
    return null;
  }
  const pid = Number(lines[LINE.pid]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return {
    pid,
    port: Number(lines[LINE.port] ?? 0),
    isReady: lines[LINE.status]?.trim() === 'ready',
  };
}

/**
 * Removes a `postmaster.pid` whose pid now belongs to another process or to one that ended and waits for
 * its parent to notice. PostgreSQL only looks whether the pid exists and would refuse to start for ever
 * (after a power cut, or in a container without an init process). If processes of the old server were
 * still about, its shared memory would keep a second one from starting.
 */
export function removeForeignLock(data: string, pid: number): void {
  if (exists(pid) && readPostmaster(data)?.pid === pid) rmSync(lockFile(data), { force: true });
}

/** Whether `pid` is a running process that serves `data`. When that can not be told, it is. */
export function isServing(pid: number, data: string): boolean {
  if (!exists(pid)) return false;
  return process.platform === 'linux' ? isServingByProc(pid, data) : isServingByPs(pid, data);
}

/** Whether a process of this pid is there, alive or a zombie. */
export function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}

function isServingByProc(pid: number, data: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const state = stat.slice(stat.lastIndexOf(')') + 2).charAt(0);
    if (state === 'Z' || state === 'X') return false;
  } catch {
    return exists(pid);
  }
  try {
    // PostgreSQL works inside its data directory.
    const cwd = statSync(`/proc/${pid}/cwd`);
    const directory = statSync(data);
    return cwd.ino === directory.ino && cwd.dev === directory.dev;
  } catch {
    // Another user's process: its command line is all that can be seen.
    return isPostgresCommand(readCommandLine(pid));
  }
}

function readCommandLine(pid: number): string | null {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return null;
  }
}

function isServingByPs(pid: number, data: string): boolean {
  const { status, stdout } = spawnSync('ps', ['-o', 'stat=,command=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  if (status !== 0) return exists(pid);
  return !stdout.trimStart().startsWith('Z') && stdout.includes(data);
}

function isPostgresCommand(command: string | null): boolean {
  return command?.includes('postgres') ?? true;
}

function lockFile(data: string): string {
  return path.join(data, 'postmaster.pid');
}
