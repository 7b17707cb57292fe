import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { stoppable } from './running.ts';

/** A script of ours in a process of its own, which says over IPC when it is ready. */
export interface Child {
  readonly pid: number;
  /** What the script said when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** The next message it sends. */
  next(): Promise<Readonly<Record<string, unknown>>>;
  send(message: object): void;
  stop(): Promise<void>;
}

/** @param script relative to the repository, as built: dist/… */
export async function startChild(
  script: string,
  environment: Record<string, string>,
): Promise<Child> {
  const process_ = fork(path.join(import.meta.dirname, '..', '..', script), [], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = stoppable(async () => {
    if (process_.exitCode !== null || process_.signalCode !== null) return;
    const exited = once(process_, 'exit');
    process_.kill('SIGTERM');
    const timer = setTimeout(() => process_.kill('SIGKILL'), 15_000);
    await exited;
    clearTimeout(timer);
  });
  const next = (): Promise<Readonly<Record<string, unknown>>> => nextMessage(script, process_);
  const ready = await next();
  return {
    pid: process_.pid ?? 0,
    ready,
    next,
    send: (message) => void process_.send(message),
    stop,
  };
}

function nextMessage(
  script: string,
  child: ChildProcess,
): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null): void => reject(new Error(`${script} ended with ${code}`));
    child.once('exit', fail);
    child.once('message', (message) => {
      child.off('exit', fail);
      resolve(typeof message === 'object' && message !== null ? { ...message } : {});
    });
  });
}
