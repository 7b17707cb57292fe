import type { Logger, Outcome } from '@longshore/core';
import type { RunScope } from '../requests/request-handler.ts';
import { type Seat, Seats } from '../run/seats.ts';
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

/** One, so that no principal's endless runs have all threads. Threads share the CPUs anyway. */
const SPARE = 1;

/** Threads whose runs wait for answers, beyond those that run: each has a heap. */
const MOST_AWAY = 32;

/**
 * Threads that run isolated tools, one run each at a time. They are started when they are needed, and used
 * again unless they died or were killed. `size` runs go on at once, as `Seats` have it; others wait for their turn
 * in the order of coming.
 */
export class ThreadPool implements ToolThreads {
  readonly #options: ThreadPoolOptions;
  readonly #seats: Seats;
  /** All that have not exited: one that can not be killed keeps its seat. */
  readonly #threads = new Set<ToolThread>();
  readonly #idle = new Set<ToolThread>();
  readonly #retired = new WeakSet<ToolThread>();
  #isClosed = false;

  constructor(options: ThreadPoolOptions) {
    this.#options = options;
    this.#seats = new Seats({ size: options.size, spare: SPARE, mostAway: MOST_AWAY });
  }

  /** Threads that exist. */
  get size(): number {
    return this.#threads.size;
  }

  prepare(job: ThreadJob): ThreadRun {
    let thread: ToolThread | null = null;
    return {
      start: async (scope) => {
        const seat = await this.#takeSeat(scope);
        const own = this.#take();
        thread = own;
        try {
          return await own.run(job, scope, seat);
        } finally {
          this.#giveBack(own, seat);
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

  async #takeSeat({ ctx: { signal, principal }, timeLimit }: RunScope): Promise<Seat> {
    timeLimit.pause();
    try {
      return await this.#seats.come(principal, signal);
    } finally {
      timeLimit.resume();
    }
  }

  #take(): ToolThread {
    if (this.#isClosed) throw new Error('the worker is stopping');
    const [idle] = this.#idle;
    if (idle === undefined) return this.#open();
    this.#idle.delete(idle);
    return idle;
  }

  #open(): ToolThread {
    const { directories, dataDir, fileLimits, network, heapMiB, script = SCRIPT } = this.#options;
    const thread = new ToolThread({
      script,
      data: { directories, dataDir, fileLimits, network },
      heapMiB,
      notice: (notice) => this.#notice(notice),
    });
    this.#threads.add(thread);
    void thread.exited.then(() => {
      this.#retired.add(thread);
      this.#idle.delete(thread);
      this.#threads.delete(thread);
    });
    return thread;
  }

  #giveBack(thread: ToolThread, seat: Seat): void {
    if (this.#isClosed) return;
    // Threads of runs that waited are more than may run at once.
    const isTooMany = this.#idle.size + this.#seats.taken > this.#options.size;
    if (this.#retired.has(thread) || isTooMany) {
      this.#retired.add(thread);
      void thread.kill();
      void thread.exited.then(() => seat.giveUp());
      return;
    }
    this.#idle.add(thread);
    seat.giveUp();
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
