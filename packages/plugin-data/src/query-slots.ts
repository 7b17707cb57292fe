/** Lets so many pass at once; the others wait in line. */
export class QuerySlots {
  readonly #line: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /**
   * Waits for a slot and takes it.
   *
   * @param onWait called when there is none at once
   * @returns gives the slot back; call it once
   * @throws the signal's reason when it fires before
   */
  async take(signal: AbortSignal, onWait: () => void): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return () => this.#release();
    }
    onWait();
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = () => {
        this.#line.splice(this.#line.indexOf(go), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#line.push(go);
    });
    return () => this.#release();
  }

  #release(): void {
    const next = this.#line.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
