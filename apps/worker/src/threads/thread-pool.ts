import type { Logger, Outcome } from '@longshore/core';
import type { RunScope } from '../requests/request-handler.ts';
import { revivedError } from './portable-error.ts';
import type { ThreadData, ThreadJob, ThreadNotice } from './thread-messages.ts';
import { ToolThread } from './tool-thread.ts';

/** One run of an isolated tool. */
export interface ThreadRun {
  /**
   * Waits for a thread and runs the tool there. The time limit stands still until the tool itself runs.
   *
   * @throws what the run threw, why its thread died, or the signal's reason when it fires while it waits
   */
  start(scope: RunScope): Promise<Outcome>;
  /** Ends it with its thread. @returns false when that still runs */
  kill(): Promise<boolean>;
}

/** Where isolated tools run. */
export interface ToolThreads {
  prepare(job: ThreadJob): ThreadRun;
}

export interface ThreadPoolOptions extends ThreadData {
  /** Threads at once. */
  readonly size: number;
  /** JavaScript heap of each, in MiB. */
  readonly heapMiB: number;
  readonly resourceUpdated: (uri: unknown) => void;
  readonly catalogueChanged: () => void;
  readonly log: Logger;
  /** The script of the threads, for tests. */
  readonly script?: string | URL;
}

const SCRIPT = new URL('./thread-main.js', import.meta.url);

interface Waiter {
  readonly give: (thread: ToolThread) => void;
}

/**
 * Threads that run isolated tools, one run each at a time. They are started when they are needed, and used
 * again unless they died or were killed; runs beyond `size` wait for their turn in the order of coming.
 */
export class ThreadPool implements ToolThreads {
  readonly #options: ThreadPoolOptions;
  /** All that have not exited: one that can not be killed keeps its place. */
  readonly #threads = new Set<ToolThread>();
  readonly #idle = new Set<ToolThread>();
  readonly #retired = new WeakSet<ToolThread>();
  #waiting: Waiter[] = [];
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
  }

  /** Threads that exist. */
  get size(): number {
    return this.#threads.size;
  }

  prepare(job: ThreadJob): ThreadRun {
    let thread: ToolThread | null = null;
    return {
      start: async (scope) => {
        const own = await this.#take(scope);
        thread = own;
        try {
          return await own.run(job, scope);
        } finally {
          this.#giveBack(own);
        }
      },
      kill: async () => {
        if (thread === null) return true;
        this.#retired.add(thread);
        return thread.kill();
      },
    };
  }

  /** Has plugins loaded anew: threads that are idle end, the others after what they run. */
  renew(): void {
    for (const thread of this.#threads) this.#retired.add(thread);
    for (const thread of this.#idle) void thread.kill();
    this.#idle.clear();
  }

  /** Ends all threads, for good, whatever they do. */
  async stop(): Promise<void> {
    this.#isClosed = true;
    this.#idle.clear();
    await Promise.all([...this.#threads].map((thread) => thread.kill()));
  }

  async #take({ ctx: { signal }, timeLimit }: RunScope): Promise<ToolThread> {
    signal.throwIfAborted();
    if (this.#isClosed) throw new Error('the worker is stopping');
    for (const thread of this.#idle) {
      this.#idle.delete(thread);
      return thread;
    }
    if (this.#threads.size < this.#options.size) return this.#open();
    timeLimit.pause();
    try {
      return await this.#wait(signal);
    } finally {
      timeLimit.resume();
    }
  }

  #wait(signal: AbortSignal): Promise<ToolThread> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        reject(signal.reason);
      };
      const waiter: Waiter = {
        give: (thread) => {
          signal.removeEventListener('abort', onAbort);
          resolve(thread);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.push(waiter);
    });
  }

  #open(): ToolThread {
    const { directories, dataDir, network, heapMiB, script = SCRIPT } = this.#options;
    const thread = new ToolThread({
      script,
      data: { directories, dataDir, network },
      heapMiB,
      notice: (notice) => this.#notice(notice),
    });
    this.#threads.add(thread);
    void thread.exited.then(() => {
      this.#retired.add(thread);
      this.#idle.delete(thread);
      this.#threads.delete(thread);
      if (!this.#isClosed) this.#waiting.shift()?.give(this.#open());
    });
    return thread;
  }

  #giveBack(thread: ToolThread): void {
    if (this.#isClosed) return;
    // Its place is given to the next one when it has exited.
    if (this.#retired.has(thread)) {
      void thread.kill();
      return;
    }
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.add(thread);
    else next.give(thread);
  }

  #notice(notice: ThreadNotice): void {
    const { log, resourceUpdated, catalogueChanged } = this.#options;
    switch (notice.kind) {
      case 'resource-updated':
        resourceUpdated(notice.uri);
        break;
      case 'catalogue-changed':
        catalogueChanged();
        break;
      case 'stray':
        log.error({ err: revivedError(notice.error) }, 'a rejected promise was not handled');
    }
  }
}
