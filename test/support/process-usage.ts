import { readdirSync, readFileSync } from 'node:fs';

const PAGE_BYTES = 4_096;

/** Memory a process really occupies, in bytes, as Linux counts it. */
export function residentBytes(pid: number): number {
  const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return pages * PAGE_BYTES;
}

/** Files, sockets and pipes a process holds open. */
export function openHandles(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}

export function mebibytes(bytes: number): number {
  return Math.round(bytes / 1_048_576);
}
