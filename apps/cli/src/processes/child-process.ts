import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Logger } from '@longshore/core';

export interface ChildOptions {
  /** For log lines: `api`, `worker 1`. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly entry: string;
  readonly args?: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly log: Logger;
  /** Gets the lines of its standard output, which is ours unless this is given. */
  readonly onLine?: (line: string) => void;
}

/** What a child says when it works; `url` is where it can be reached. */
export interface Ready {
  readonly url: string | null;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * One run of a program of ours as a child process.
 *
 * Its output is ours. It is in a process group of its own, so that Ctrl-C in a terminal reaches us only
 * and the order in which things stop is ours. It has an IPC channel: over it the child says
 * `{ kind: 'ready', url? }`, and notices when we are gone, also after a SIGKILL.
 */
export class Child {
  readonly pid: number | null;
  /** Never resolves when the child ends before it is ready. */
  readonly ready: Promise<Ready>;
  readonly exited: Promise<Exit>;
  readonly #process: ChildProcess;
  #hasExited = false;

  constructor({ name, entry, args = [], env, log, onLine }: ChildOptions) {
    this.#process = fork(entry, [...args], {
      detached: true,
      env: { ...env },
      execArgv: [],
      stdio: ['ignore', onLine === undefined ? 'inherit' : 'pipe', 'inherit', 'ipc'],
    });
    if (onLine !== undefined && this.#process.stdout !== null) {
      createInterface({ input: this.#process.stdout }).on('line', onLine);
    }
    this.pid = this.#process.pid ?? null;
    this.ready = new Promise((resolve) => {
      this.#process.on('message', (message) => {
        const ready = parseReady(message);
        if (ready !== null) resolve(ready);
      });
    });
    this.exited = new Promise((resolve) => {
      this.#process.once('exit', (code, signal) => resolve({ code, signal }));
      this.#process.once('error', (err) => {
        log.error({ child: name, err }, 'child process failed');
        if (this.#process.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    void this.exited.then(() => {
      this.#hasExited = true;
    });
  }

  /** Sends a message; one that can not be sent is dropped, for the child is ending then. */
  send(message: object): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  kill(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  /** SIGTERM, and SIGKILL if it is still there after `graceMs` milliseconds. Resolves when it has ended. */
  async stop(graceMs: number): Promise<void> {
    if (this.#hasExited) return;
    this.kill('SIGTERM');
    const timer = setTimeout(() => this.kill('SIGKILL'), graceMs);
    await this.exited;
    clearTimeout(timer);
  }
}

function parseReady(message: unknown): Ready | null {
  if (typeof message !== 'object' || message === null) return null;
  if (!('kind' in message) || message.kind !== 'ready') return null;
  const url = 'url' in message && typeof message.url === 'string' ? message.url : null;
  return { url };
}
