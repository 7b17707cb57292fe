import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * A text that tells a process from every other one that has or had its pid: when it was started. Pids
 * are used again, in containers from the first start on. Null when no such process is there, or when the
 * system does not say.
 */
export function processIdentity(pid: number): string | null {
  if (process.platform === 'linux') {
    const status = readStatus(pid);
    return status === null || status.hasEnded ? null : `${bootId()}/${status.startTime}`;
  }
  const { status, stdout } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: 10_000,
  });
  return status === 0 ? stdout.trim() || null : null;
}

/** Whether a process of this pid runs. One that has ended and that its parent has not noticed does not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return process.platform !== 'linux' || readStatus(pid)?.hasEnded === false;
}

/** Field 22 of /proc/<pid>/stat (man 5 proc), counted from the state, which follows the name. */
const START_TIME = 19;

function readStatus(pid: number): { hasEnded: boolean; startTime: string } | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return null;
  }
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return {
    hasEnded: fields[0] === 'Z' || fields[0] === 'X',
    startTime: fields[START_TIME] ?? '',
  };
}

function bootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}
