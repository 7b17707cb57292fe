import { type Progress, withDeadline } from '@longshore/core';

/** 1 s, then the beat comes without: what is silent for want of a database must not look dead to its client. */
const READ_LIMIT_MS = 1_000;

/**
 * Says when nothing was heard for so long, and again after as long, with the progress the row has by then: what was
 * told while nobody listened yet, or got lost on the way, is seen a beat later at the latest.
 */
export class SilenceTimer {
  readonly #read: () => Promise<Progress | null>;
  readonly #onSilence: (progress: Progress | null) => void;
  readonly #timer: NodeJS.Timeout;
  /** Counts what was heard: a beat that is overtaken while its row is read is none. */
  #heard = 0;
  #stopped = false;

  /**
   * @param afterMs of silence, in milliseconds
   * @param read called once per beat; null: nothing is known
   */
  constructor(
    afterMs: number,
    read: () => Promise<Progress | null>,
    onSilence: (progress: Progress | null) => void,
  ) {
    this.#read = read;
    this.#onSilence = onSilence;
    this.#timer = setInterval(() => void this.#beat(), afterMs).unref();
  }

  /** The silence begins anew. */
  heard(): void {
    this.#heard += 1;
    this.#timer.refresh();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#timer);
  }

  async #beat(): Promise<void> {
    const heard = this.#heard;
    const progress = await this.#current();
    if (!this.#stopped && heard === this.#heard) this.#onSilence(progress);
  }

  async #current(): Promise<Progress | null> {
    try {
      return await withDeadline(this.#read(), READ_LIMIT_MS, () => new Error('no answer'));
    } catch {
      // It can not be read now; the next beat tries again.
      return null;
    }
  }
}
