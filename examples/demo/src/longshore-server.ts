import { fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const ROOT = path.join(import.meta.dirname, '..', '..', '..');
const READY_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

export interface LongshoreServer {
  /** The MCP endpoint. */
  readonly url: string;
  /** @returns the exit code; null when it had to be killed */
  stop(): Promise<number | null>;
}

interface StartOptions {
  readonly environment: Record<string, string>;
  readonly logFile: string;
  /** Fires: a server that is starting is stopped. */
  readonly signal: AbortSignal;
}

/**
 * Runs what `npm start` runs, with its log in a file.
 *
 * @throws {Error} it does not start
 * @throws the signal's reason when it fires before
 */
export async function startLongshore(options: StartOptions): Promise<LongshoreServer> {
  const giveUpAt = Date.now() + READY_TIMEOUT_MS;
  const log = openSync(options.logFile, 'a');
  const main = path.join(ROOT, 'apps/cli/dist/main.js');
  const child = fork(main, ['start'], {
    cwd: ROOT,
    // Ctrl-C is for the demo, which stops it once its own work has ended.
    detached: true,
    env: { ...process.env, ...options.environment },
    stdio: ['ignore', log, log, 'ipc'],
  });
  closeSync(log);
  const exited = once(child, 'exit');
  const stop = async (): Promise<number | null> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await exited;
    clearTimeout(timer);
    return child.exitCode;
  };
  const isAlive = (): boolean => child.exitCode === null && child.signalCode === null;
  while (isAlive() && Date.now() < giveUpAt && !options.signal.aborted) {
    const url = /longshore ready at (\S+)/.exec(readFileSync(options.logFile, 'utf8'))?.[1];
    if (url !== undefined) return { url, stop };
    await delay(50);
  }
  if (isAlive()) await stop();
  options.signal.throwIfAborted();
  throw new Error(`longshore did not start; its log:\n${readFileSync(options.logFile, 'utf8')}`);
}
