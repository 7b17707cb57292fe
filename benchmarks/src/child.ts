import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { withDeadline } from '@longshore/core';
import { stoppable } from './running.ts';

/** A script of ours in a process of its own, which says over IPC when it is ready. */
export interface Child {
  readonly pid: number;
  /** What the script said when it was ready. */
  readonly ready: Readonly<Record<string, unknown>>;
  /** The next message it sends. */
  next(): Promise<Readonly<Record<string, unknown>>>;
  /** Calls it with all further messages. */
  hear(listener: (message: Readonly<Record<string, unknown>>) => void): void;
  send(message: object): void;
  stop(): Promise<void>;
}

/** Whatever is not ready by then never will be. */
const READY_TIMEOUT_MS = 60_000;

/** @param script relative to the repository, as built: dist/… */
export async function startChild(
  script: string,
  environment: Record<string, string>,
): Promise<Child> {
  const process_ = fork(path.join(import.meta.dirname, '..', '..', script), [], {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const stop = stoppable(() => stopProcess(process_));
  const next = (): Promise<Readonly<Record<string, unknown>>> => nextMessage(script, process_);
  const ready = await withDeadline(
    next(),
    READY_TIMEOUT_MS,
    () => new Error(`${script} is not ready after ${READY_TIMEOUT_MS} ms`),
  );
  return {
    pid: process_.pid ?? 0,
    ready,
    next,
    hear: (listener) => process_.on('message', (message) => listener({ ...Object(message) })),
    send: (message) => void process_.send(message),
    stop,
  };
}

/** Asks a process to end, and ends it when it does not. */
export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
  await exited;
  clearTimeout(timer);
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
