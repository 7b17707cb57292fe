import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { z } from '@longshore/plugin';
import { FetchFailure } from '../fetch-failure.ts';
import { type ReaderModules, type ReadOrder, runReader } from './run-reader.ts';

/** A page of some megabytes takes a second or two. */
const PAGE_TIMEOUT_MS = 15_000;

/** Until the libraries are loaded, on a machine that has better things to do. */
const START_TIMEOUT_MS = 60_000;

/** JavaScript heap of the thread, in MiB. */
const HEAP_MIB = 512;

const PageText = z.object({
  title: z.string(),
  byline: z.string(),
  language: z.string(),
  text: z.string(),
});
export type PageText = z.output<typeof PageText>;

/**
 * Finds the text of HTML pages in a thread of its own, one page after the other. Parsing takes long for large
 * pages and for ever for some: nothing else of the worker waits for it, and a page that takes too long or too
 * much memory ends the thread and nothing but its own reading.
 */
export class ReadingThread {
  readonly #signal: AbortSignal;
  readonly #timeoutMs: number;
  #thread: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();

  constructor(signal: AbortSignal, timeoutMs: number = PAGE_TIMEOUT_MS) {
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Reads a page.
   *
   * @throws {FetchFailure} UNREADABLE: too slow, too large for the memory, or nothing the libraries cope with
   * @throws the signal's reason when it fires
   */
  read(order: ReadOrder): Promise<PageText> {
    const reading = this.#last.then(() => this.#readNow(order));
    this.#last = reading.catch(() => {});
    return reading;
  }

  /** Ends the thread, also in the middle of a page. */
  async close(): Promise<void> {
    const thread = this.#thread;
    this.#thread = null;
    await thread?.terminate();
  }

  async #readNow(order: ReadOrder): Promise<PageText> {
    this.#signal.throwIfAborted();
    try {
      if (this.#thread === null) {
        this.#thread = startThread();
        await this.#answer(this.#thread, START_TIMEOUT_MS);
      }
      const answer = this.#answer(this.#thread, this.#timeoutMs);
      this.#thread.postMessage(order);
      return PageText.parse(await answer);
    } catch (error) {
      // It may still be at it.
      await this.close();
      throw error;
    }
  }

  /** What the thread says next. */
  #answer(thread: Worker, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', onAbort);
        thread.off('message', onMessage).off('error', onError).off('exit', onExit);
        finish();
      };
      const fail = (problem: string): void =>
        settle(() => reject(new FetchFailure('UNREADABLE', problem)));
      const onMessage = (message: unknown): void => settle(() => resolve(message));
      const onError = (error: Error): void => fail(`can not be read: ${error.name}`);
      const onExit = (): void => fail('can not be read');
      const onAbort = (): void => settle(() => reject(this.#signal.reason));
      const timer = setTimeout(() => fail('takes too long to read'), timeoutMs);
      this.#signal.addEventListener('abort', onAbort, { once: true });
      thread.on('message', onMessage).on('error', onError).on('exit', onExit);
    });
  }
}

function startThread(): Worker {
  const { resolve } = createRequire(import.meta.url);
  const workerData: ReaderModules = {
    linkedom: resolve('linkedom'),
    readability: resolve('@mozilla/readability'),
  };
  const thread = new Worker(`(${runReader.toString()})()`, {
    eval: true,
    workerData,
    // Pages are none of our environment's business.
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
  });
  // Between two pages nobody listens, and an unheard error event would end the process.
  thread.on('error', () => {});
  return thread;
}
