import type { Logger } from '@longshore/core';
import { Child } from '../processes/child-process.ts';
import { RestartingChild } from '../processes/restarting-child.ts';

export interface PluginVersionsOptions {
  /** Absolute path of the worker's program. */
  readonly entry: string;
  readonly log: Logger;
  /** Gets what the workers print. */
  readonly onLine: (line: string) => void;
  /** Called when a version that was replaced still runs tasks after a moment, and when it has ended them. */
  readonly onGoesOn: () => void;
  readonly onEnded: () => void;
  /** Called when the version that is offered can not go on. */
  readonly onGaveUp: (reason: string) => void;
}

/** Versions that may still run tasks at once; when there are more, the oldest hands its tasks to the newest. */
const MAX_RETIRING = 4;

/** A worker without tasks ends within this time, in milliseconds. */
const MOMENT_MS = 2_000;

/**
 * The versions of a plugin that run: the one that is offered, and those before it which only end what they have
 * begun. Each is a worker process.
 */
export class PluginVersions {
  readonly #options: PluginVersionsOptions;
  readonly #retiring = new Set<RestartingChild>();
  #offered: RestartingChild | null = null;

  constructor(options: PluginVersionsOptions) {
    this.#options = options;
  }

  get isOffered(): boolean {
    return this.#offered !== null;
  }

  /**
   * Starts a worker, and retires the one before once this one is offered.
   *
   * @param graceMs for what is handed over
   * @returns what went wrong; then everything is as it was
   */
  async offer(
    env: Readonly<Record<string, string | undefined>>,
    graceMs: number,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { entry, log, onLine } = this.#options;
    const before = this.#offered;
    let settle = (_problem: string | null): void => {};
    const settled = new Promise<string | null>((resolve) => {
      settle = resolve;
    });
    const next = new RestartingChild({
      name: 'plugin',
      spawn: () => new Child({ name: 'plugin', entry, env, log, onLine }),
      log,
      onReady: () => settle(null),
      onGaveUp: (reason) => {
        settle(reason);
        if (this.#offered !== next) return;
        this.#offered = null;
        this.#options.onGaveUp(reason);
      },
    });
    const onAbort = (): void => settle('stopped');
    signal.addEventListener('abort', onAbort);
    next.start();
    if (signal.aborted) onAbort();
    const problem = await settled;
    signal.removeEventListener('abort', onAbort);
    if (problem !== null) {
      await next.stop(graceMs);
      return problem;
    }
    this.#offered = next;
    if (before !== null) this.#retire(before, graceMs);
    return null;
  }

  /** All of them; what runs gets the grace that their SHUTDOWN_GRACE_MS says. */
  async stop(graceMs: number): Promise<void> {
    const offered = this.#offered;
    this.#offered = null;
    await Promise.all([
      ...(offered === null ? [] : [offered.stop(graceMs)]),
      ...[...this.#retiring].map((child) => child.stop(graceMs)),
    ]);
  }

  kill(): void {
    this.#offered?.kill();
    for (const child of this.#retiring) child.kill();
  }

  #retire(child: RestartingChild, graceMs: number): void {
    const { onGoesOn, onEnded } = this.#options;
    let goesOn = false;
    const timer = setTimeout(() => {
      goesOn = true;
      onGoesOn();
    }, MOMENT_MS);
    this.#retiring.add(child);
    void child.retire().then(() => {
      clearTimeout(timer);
      this.#retiring.delete(child);
      if (goesOn) onEnded();
    });
    const [oldest] = this.#retiring;
    if (this.#retiring.size > MAX_RETIRING) void oldest?.stop(graceMs);
  }
}
