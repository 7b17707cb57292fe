import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Writable } from 'node:stream';

/** What happens to a leftover when this process dies without cleaning up. */
export type GuardDuty =
  | { readonly pid: number; readonly signal: NodeJS.Signals }
  | { readonly remove: string };

let input: Writable | null = null;
let lastId = 0;

/**
 * Promises that `duty` is done even if this process is killed with SIGKILL: one small guardian process
 * per process of ours holds the other end of a pipe and acts when the pipe breaks.
 *
 * @returns takes the duty back; call it once the process has ended or the folder is gone, because pids
 *   are used again
 */
export function guard(duty: GuardDuty): () => void {
  input ??= startGuardian();
  const to = input;
  lastId += 1;
  const id = lastId;
  to.write(`${JSON.stringify({ id, ...duty })}\n`);
  return () => {
    to.write(`${JSON.stringify({ id })}\n`);
  };
}

function startGuardian(): Writable {
  const program = path.join(import.meta.dirname, '..', '..', 'guardian', 'guardian.js');
  // A session of its own, so that Ctrl-C does not end it before us.
  const child = spawn(process.execPath, [program], {
    detached: true,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.once('exit', () => {
    input = null;
  });
  child.unref();
  child.stdin.on('error', () => {});
  // Neither the process nor its pipe keeps us alive.
  if ('unref' in child.stdin && typeof child.stdin.unref === 'function') child.stdin.unref();
  return child.stdin;
}
