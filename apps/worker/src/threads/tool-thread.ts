import { MessageChannel, Worker } from 'node:worker_threads';
import type { Outcome } from '@longshore/core';
import { pluginEnvironment } from '@longshore/plugin/process';
import type { RunScope } from '../requests/request-handler.ts';
import type { Seat } from '../run/seats.ts';
import { createControl } from './run-control.ts';
import { ServedRun } from './served-run.ts';
import type { RunOrder, ThreadData, ThreadJob, ThreadNotice } from './thread-messages.ts';

export interface ToolThreadOptions {
  /** The script of the thread. */
  readonly script: string | URL;
  readonly data: ThreadData;
  /** JavaScript heap of the thread, in MiB. */
  readonly heapMiB: number;
  readonly notice: (notice: ThreadNotice) => void;
}

/** How long a thread may take to end by force. Only native code that never returns takes any longer. */
const TERMINATE_MS = 2_000;

/** One thread for isolated tools, from its start until it ends. */
export class ToolThread {
  /** Resolves when it is gone. */
  readonly exited: Promise<void>;
  readonly #worker: Worker;
  readonly #heapMiB: number;
  /** Why it is gone, for whoever runs in it. */
  #death = 'The thread of the tool was ended.';

  constructor({ script, data, heapMiB, notice }: ToolThreadOptions) {
    this.#heapMiB = heapMiB;
    this.#worker = new Worker(script, {
      workerData: data,
      name: 'longshore tool',
      // The arguments, options and environment of this process are not meant for plugins.
      argv: [],
      env: pluginEnvironment(),
      resourceLimits: { maxOldGenerationSizeMb: heapMiB },
    });
    this.#worker.on('message', notice);
    let error: unknown;
    this.#worker.on('error', (thrown) => {
      error = thrown;
    });
    this.exited = new Promise((resolve) => {
      this.#worker.once('exit', (code) => {
        this.#death = this.#describeDeath(error, code);
        resolve();
      });
    });
  }

  /**
   * Runs a tool. One run at a time.
   *
   * @param seat among the runs in threads
   * @throws {ThreadRunFailed} the tool threw
   * @throws {Error} the thread died, and why
   */
  async run(job: ThreadJob, scope: RunScope, seat: Seat): Promise<Outcome> {
    const { port1, port2 } = new MessageChannel();
    const control = createControl();
    const { taskId, attempt, principal, deadline, trace, client, formsReachUser } = scope.ctx;
    const facts = { taskId, attempt, principal, deadline, trace, client, formsReachUser };
    const order: RunOrder = { ...job, facts, control, port: port2 };
    const run = new ServedRun(port1, control, scope, seat);
    try {
      this.#worker.postMessage(order, [port2]);
      await Promise.race([run.ended, this.exited]);
      const outcome = run.outcome();
      if (outcome === null) throw new Error(this.#death);
      return outcome;
    } finally {
      run.close();
    }
  }

  /**
   * Ends it, whatever it does.
   *
   * @returns false when it still runs
   */
  async kill(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, TERMINATE_MS, false);
    });
    void this.#worker.terminate();
    const isGone = await Promise.race([this.exited.then(() => true), late]);
    clearTimeout(timer);
    return isGone;
  }

  #describeDeath(error: unknown, code: number): string {
    if (error === undefined) return `The tool ended its thread with exit code ${code}.`;
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') {
      return `The tool needed more memory than its thread has (${this.#heapMiB} MiB, THREAD_HEAP_MIB).`;
    }
    const reason = error instanceof Error ? error.message : String(error);
    return `The thread of the tool ended with an error that nobody caught: ${reason}`;
  }
}
