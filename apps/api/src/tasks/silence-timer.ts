/** Says when nothing was heard for so long, and again after as long. */
export class SilenceTimer {
  readonly #timer: NodeJS.Timeout;

  /** @param afterMs of silence, in milliseconds */
  constructor(afterMs: number, onSilence: () => void) {
    this.#timer = setInterval(onSilence, afterMs).unref();
  }

  /** The silence begins anew. */
  heard(): void {
    this.#timer.refresh();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
