import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const TICK_MS = 1_000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** What a process has used so far. Linux only: read from /proc. */
export interface ProcessUsage {
  /** User and system time since its start, in milliseconds. */
  readonly cpuMs: number;
  /** Resident memory now, in MiB. */
  readonly rssMiB: number;
}

export function processUsage(pid: number): ProcessUsage {
  const [user = 0, system = 0] = ticks(pid);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  return { cpuMs: (user + system) * TICK_MS, rssMiB: rssKiB / 1_024 };
}

/** Of a server with all its children, those that are gone as well. Memory that they share counts once. */
export function serverUsage(pid: number): ProcessUsage {
  // A child that ends between two reads is missed this once: its time is with its parent at the next.
  const own = ticks(pid).reduce((sum, one) => sum + one, 0);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .map(Number)
    .filter((child) => child > 0);
  const usages = children.map((child): ProcessUsage => {
    try {
      const [user = 0, system = 0] = ticks(child);
      return { cpuMs: (user + system) * TICK_MS, rssMiB: sharedMiB(child) };
    } catch {
      return { cpuMs: 0, rssMiB: 0 };
    }
  });
  return {
    cpuMs: usages.reduce((sum, { cpuMs }) => sum + cpuMs, own * TICK_MS),
    rssMiB: usages.reduce((sum, { rssMiB }) => sum + rssMiB, sharedMiB(pid)),
  };
}

/** @returns user and system time, and those of its children that have ended, in clock ticks */
function ticks(pid: number): number[] {
  // The second field is the name in parentheses and may hold spaces; the rest is counted from behind it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).map(Number);
}

/** Resident memory in MiB, of pages that several processes have the share that falls to each. */
function sharedMiB(pid: number): number {
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) / 1_024;
}
