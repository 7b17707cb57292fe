import { setTimeout as sleep } from 'node:timers/promises';
import { type Backoff, type Logger, retryDelayMs } from '@longshore/core';
import type { Child, Exit, Ready } from './child-process.ts';

export interface RestartingChildOptions {
  readonly name: string;
  readonly spawn: () => Child;
  readonly log: Logger;
  /** Called each time a run of the child is ready. */
  readonly onReady: (ready: Ready) => void;
  /** Called once, when it makes no sense to start the child again. */
  readonly onGaveUp: (reason: string) => void;
  /** Pauses before the child is started again; from half a second to half a minute by default. */
  readonly backoff?: Backoff;
}

const BACKOFF: Backoff = { baseMs: 500, factor: 2, maxMs: 30_000 };

/**
 * Deaths in a row after which it is given up. More than the workers one task may kill before it is failed
 * (packages/queue: 5), so that such a task does not take everything down.
 */
export const MAX_QUICK_DEATHS = 8;

/** A child that lived this long was well; its next death is the first one again. */
const STABLE_MS = 10_000;

/**
 * Keeps a child running: starts it again, with growing pauses, when it dies. One that refuses to start
 * (it exits with an error before it ever was ready) has said why, and starting it again would not help.
 */
export class RestartingChild {
  readonly #options: RestartingChildOptions;
  readonly #stopping = new AbortController();
  #child: Child | null = null;
  #ended: Promise<void> | null = null;

  constructor(options: RestartingChildOptions) {
    this.#options = options;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  start(): void {
    this.#ended ??= this.#keepRunning();
  }

  /** SIGTERM, then SIGKILL after `graceMs`; resolves when the child is gone and will not come back. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping.abort();
    await this.#child?.stop(graceMs);
    await this.#ended;
  }

  /** Tells the child to end when it has done what it does, and does not start it again. Resolves when it is gone. */
  async retire(): Promise<void> {
    this.#stopping.abort();
    this.#child?.send({ kind: 'retire' });
    await this.#ended;
  }

  /** At once and without any grace. */
  kill(): void {
    this.#stopping.abort();
    this.#child?.kill('SIGKILL');
  }

  async #keepRunning(): Promise<void> {
    const { name, log, spawn, onReady, onGaveUp, backoff = BACKOFF } = this.#options;
    const { signal } = this.#stopping;
    let wasEverReady = false;
    let quickDeaths = 0;
    while (!signal.aborted) {
      const startedAt = performance.now();
      const child = spawn();
      this.#child = child;
      void child.ready.then((ready) => {
        wasEverReady = true;
        onReady(ready);
      });
      const exit = await child.exited;
      if (signal.aborted) return;
      const how = describeExit(exit);
      if (!wasEverReady && exit.code !== null && exit.code !== 0) {
        onGaveUp(`${name} did not start (${how}): see its last lines above`);
        return;
      }
      quickDeaths = performance.now() - startedAt < STABLE_MS ? quickDeaths + 1 : 1;
      if (quickDeaths === MAX_QUICK_DEATHS) {
        onGaveUp(`${name} died ${MAX_QUICK_DEATHS} times in a row, at last with ${how}`);
        return;
      }
      const restartInMs = retryDelayMs(backoff, quickDeaths, Math.random());
      log.error({ child: name, exit: how, restartInMs }, 'child process died: starting it again');
      await sleep(restartInMs, undefined, { signal }).catch(() => {});
    }
  }
}

function describeExit({ code, signal }: Exit): string {
  return signal === null ? `exit code ${code}` : signal;
}
