import type { Logger } from '@longshore/core';
import { Child, type Ready } from '../processes/child-process.ts';
import { RestartingChild } from '../processes/restarting-child.ts';

export interface FleetOptions {
  /** Number of worker processes. */
  readonly workers: number;
  /** Absolute paths of the programs. */
  readonly entries: { readonly api: string; readonly worker: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What only the API gets to know. */
  readonly apiEnv: Readonly<Record<string, string>>;
  readonly log: Logger;
  /** Called after each change of the processes that run, with their pids. */
  readonly onPids: (pids: readonly number[]) => void;
}

/** One API and some workers, each started again when it dies. */
export class Fleet {
  /** The API's URL, once it and the first worker are ready. */
  readonly ready: Promise<string>;
  /** Why the fleet can not go on. */
  readonly gaveUp: Promise<string>;
  readonly #options: FleetOptions;
  readonly #children: readonly RestartingChild[];
  #env: Readonly<Record<string, string | undefined>>;

  constructor(options: FleetOptions) {
    this.#options = options;
    this.#env = options.env;
    let giveUp = (_reason: string): void => {};
    this.gaveUp = new Promise((resolve) => {
      giveUp = resolve;
    });
    let apiReady = (_ready: Ready): void => {};
    const api = new Promise<Ready>((resolve) => {
      apiReady = resolve;
    });
    let workerReady = (): void => {};
    const worker = new Promise<void>((resolve) => {
      workerReady = resolve;
    });
    if (options.workers === 0) workerReady();
    this.ready = Promise.all([api, worker]).then(([{ url }]) => url ?? 'unknown');
    this.#children = [
      this.#child('api', options.entries.api, options.apiEnv, giveUp, (ready) => {
        this.#keepPort(ready);
        apiReady(ready);
      }),
      ...Array.from({ length: options.workers }, (_, index) =>
        this.#child(
          `worker ${index + 1}`,
          options.entries.worker,
          metricsPortOf(options.env, index),
          giveUp,
          workerReady,
        ),
      ),
    ];
  }

  start(): void {
    for (const child of this.#children) child.start();
  }

  /** All at once; a child still there after `graceMs` is killed. */
  async stop(graceMs: number): Promise<void> {
    await Promise.all(this.#children.map((child) => child.stop(graceMs)));
  }

  kill(): void {
    for (const child of this.#children) child.kill();
  }

  #child(
    name: string,
    entry: string,
    own: Readonly<Record<string, string>>,
    onGaveUp: (reason: string) => void,
    onReady: (ready: Ready) => void,
  ): RestartingChild {
    const { log } = this.#options;
    const spawn = (): Child => {
      const child = new Child({ name, entry, env: { ...this.#env, ...own }, log });
      queueMicrotask(() => this.#tellPids());
      return child;
    };
    return new RestartingChild({ name, spawn, log, onReady, onGaveUp });
  }

  /** An API that chose its port gets the same one again, for its clients know it. */
  #keepPort({ url }: Ready): void {
    if (url !== null && URL.canParse(url)) this.#env = { ...this.#env, PORT: new URL(url).port };
  }

  #tellPids(): void {
    const pids = this.#children.map((child) => child.pid).filter((pid) => pid !== null);
    this.#options.onPids(pids);
  }
}

/** One port for each worker: METRICS_PORT and those after it. */
function metricsPortOf(env: FleetOptions['env'], index: number): Record<string, string> {
  const first = env['METRICS_PORT'] ?? '';
  return first === '' ? {} : { METRICS_PORT: String(Number(first) + index) };
}
