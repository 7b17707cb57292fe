/** Something that several parts of one process wait for: opened, it lets all through that wait. */
export class SignalGate {
  #waiting: Promise<void> | null = null;
  #open: () => void = () => {};
  #isMissed = false;

  /** Also lets through who comes next, when nobody waits. */
  open(): void {
    if (this.#waiting === null) {
      this.#isMissed = true;
      return;
    }
    const open = this.#open;
    this.#waiting = null;
    open();
  }

  /** @throws the signal's reason */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isMissed) {
      this.#isMissed = false;
      return;
    }
    this.#waiting ??= new Promise((resolve) => {
      this.#open = resolve;
    });
    const waiting = this.#waiting;
    await new Promise<void>((resolve, reject) => {
      const stop = (): void => reject(signal.reason);
      signal.addEventListener('abort', stop, { once: true });
      void waiting.then(() => {
        signal.removeEventListener('abort', stop);
        resolve();
      });
    });
  }
}
