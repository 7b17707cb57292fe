import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger, retryDelayMs, type ToolRate, type ToolStarts } from '@longshore/core';
import { within } from '../run/store-call.ts';

/** Between tries while the counts can not be reached. */
const BACKOFF = { baseMs: 50, factor: 2, maxMs: 2_000 };

const ANSWER_MS = 10_000;

/** A count that was lost, or a worker with a higher rate, is noticed after that time. */
const LONGEST_WAIT_MS = 60_000;

/** Those who wait for one window do not all ask in the same millisecond. */
const JITTER_MS = 25;

/** One line per interval: counts that are away are not a thousand pieces of news. */
const TELL_EVERY_MS = 10_000;

/** Where runs of tools with a rate wait for their start. */
export class StartWaits {
  readonly #starts: ToolStarts;
  readonly #log: Logger;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: { readonly starts: ToolStarts; readonly log: Logger }) {
    this.#starts = options.starts;
    this.#log = options.log;
  }

  /**
   * Resolves when the run may start. While the counts can not be reached none does.
   *
   * @param signal ends the wait at once
   * @throws the signal's reason
   */
  async next(toolName: string, rate: ToolRate, signal: AbortSignal): Promise<void> {
    for (let failures = 0; ; ) {
      signal.throwIfAborted();
      let waitMs: number;
      try {
        const taken = untilAborted(this.#starts.take(toolName, rate), signal);
        waitMs = await within(ANSWER_MS, taken, 'counting a start');
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        this.#tell(toolName, error);
        waitMs = retryDelayMs(BACKOFF, failures, Math.random());
      }
      if (waitMs === 0) return;
      const pauseMs = Math.min(waitMs, LONGEST_WAIT_MS) + Math.random() * JITTER_MS;
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  }

  #tell(tool: string, err: unknown): void {
    const now = performance.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    this.#log.warn({ err, tool }, 'starts of tools can not be counted: their runs wait');
  }
}

/** @throws the signal's reason, as soon as it fires; what comes of `work` then is ignored */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
