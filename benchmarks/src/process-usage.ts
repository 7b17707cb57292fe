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
  // The second field is the name in parentheses and may hold spaces; the rest is counted from behind it.
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const rssKiB = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  return { cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS, rssMiB: rssKiB / 1_024 };
}
