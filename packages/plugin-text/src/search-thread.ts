import { Worker } from 'node:worker_threads';
import { ToolError, z } from '@longshore/plugin';

/**
 * A regular expression can take time exponential in the text (`(a+)+$`), and nothing in V8 stops it.
 * So it runs in a thread of its own: the worker process stays responsive whatever the pattern, a batch
 * that takes too long ends the thread, and so does a cancellation.
 *
 * 5 s for a batch of at most 256 KiB, which an ordinary pattern takes a few milliseconds for.
 */
const BATCH_TIMEOUT_MS = 5_000;

/** Shown of a line, around the match. */
const SHOWN_BEFORE = 100;
const SHOWN_CHARACTERS = 400;

const BatchMatches = z.object({
  matches: z.array(z.object({ line: z.int(), column: z.int(), text: z.string() })),
  /** Lines that match, also those not in `matches`. */
  count: z.int(),
});

/** The pattern, not the text, is at fault. */
export class PatternTooSlowError extends ToolError {
  constructor() {
    super('the pattern takes too long on this text; avoid nested repetition such as (a+)+');
  }
}

export type BatchMatches = z.infer<typeof BatchMatches>;

/** What the thread is told once, and then with each batch. */
interface ThreadData {
  readonly pattern: string;
  readonly flags: string;
  readonly before: number;
  readonly shown: number;
}

interface Batch {
  readonly text: string;
  /** Number of its first line. */
  readonly firstLine: number;
  readonly limit: number;
}

/** Searches batches of lines for one pattern, each in bounded time. */
export class SearchThread {
  readonly #thread: Worker;
  readonly #signal: AbortSignal;
  readonly #batchTimeoutMs: number;

  /** @param batchTimeoutMs longest time one batch may take */
  constructor(pattern: RegExp, signal: AbortSignal, batchTimeoutMs: number = BATCH_TIMEOUT_MS) {
    this.#batchTimeoutMs = batchTimeoutMs;
    const workerData: ThreadData = {
      pattern: pattern.source,
      flags: pattern.flags,
      before: SHOWN_BEFORE,
      shown: SHOWN_CHARACTERS,
    };
    this.#signal = signal;
    this.#thread = new Worker(`(${runThread.toString()})()`, { eval: true, env: {}, workerData });
    // Between two batches nobody listens, and an unheard error event would end the process.
    this.#thread.on('error', () => {});
  }

  /**
   * Searches whole lines.
   *
   * @throws {ToolError} when the pattern takes too long; the thread is then of no more use
   * @throws the signal's reason when it fires
   */
  async search(batch: Batch): Promise<BatchMatches> {
    const signal = this.#signal;
    const thread = this.#thread;
    signal.throwIfAborted();
    return new Promise<BatchMatches>((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        thread.off('message', onMessage).off('error', onError).off('exit', onExit);
        finish();
      };
      const onMessage = (message: unknown) => settle(() => resolve(BatchMatches.parse(message)));
      const onError = (error: unknown) => settle(() => reject(error));
      const onExit = () => settle(() => reject(new Error('the search thread ended')));
      const onAbort = () => settle(() => reject(signal.reason));
      const timer = setTimeout(
        () => settle(() => reject(new PatternTooSlowError())),
        this.#batchTimeoutMs,
      );
      signal.addEventListener('abort', onAbort);
      thread.on('message', onMessage).on('error', onError).on('exit', onExit);
      thread.postMessage(batch);
    });
  }

  /** Ends the thread, also in the middle of a batch. */
  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}

/** The thread itself. It is handed over as text, so it uses nothing from around it. */
function runThread(): void {
  const { parentPort, workerData } = process.getBuiltinModule('node:worker_threads');
  const { pattern, flags, before, shown }: ThreadData = workerData;
  const expression = new RegExp(pattern, flags);
  parentPort?.on('message', ({ text, firstLine, limit }: Batch) => {
    const matches: { line: number; column: number; text: string }[] = [];
    let count = 0;
    let line = firstLine;
    for (const raw of text.split('\n')) {
      const content = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
      const found = expression.exec(content);
      if (found !== null) {
        count += 1;
        if (matches.length < limit) {
          const from = Math.max(0, found.index - before);
          const text = content.slice(from, from + shown);
          // A cut may have left half a surrogate pair at either end.
          const whole = text.replace(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/g, '');
          matches.push({ line, column: found.index + 1, text: whole });
        }
      }
      line += 1;
    }
    parentPort?.postMessage({ matches, count });
  });
}
