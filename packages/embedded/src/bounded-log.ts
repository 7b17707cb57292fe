import { copyFileSync, existsSync, statSync, truncateSync } from 'node:fs';

/** 8 MiB: weeks of what a healthy server says, and an evening of reading. */
const MAX_LOG_BYTES = 8 * 1024 * 1024;
const CHECK_INTERVAL_MS = 60_000;

/**
 * Keeps `file` from growing without end while it is written to: over the limit its content moves to
 * `<file>.1`, replacing what was there. The writer keeps its open file, so the content is copied and the
 * file cut; lines written in between are lost.
 *
 * @returns stops the watch
 */
export function boundLog(file: string, maxBytes: number = MAX_LOG_BYTES): () => void {
  cutLog(file, maxBytes);
  const timer = setInterval(() => cutLog(file, maxBytes), CHECK_INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Moves the content away when it is over `maxBytes`. */
export function cutLog(file: string, maxBytes: number): void {
  if (!existsSync(file) || statSync(file).size <= maxBytes) return;
  copyFileSync(file, `${file}.1`);
  truncateSync(file, 0);
}
