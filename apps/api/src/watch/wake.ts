/** Lets one loop sleep until somebody pokes it; a poke while it is awake is kept. */
export class Wake {
  #poked = false;
  #release: (() => void) | null = null;

  poke(): void {
    this.#poked = true;
    this.#release?.();
  }

  /** Resolves when poked, after `timeoutMs`, or when `signal` fires. */
  async wait(timeoutMs: number, signal: AbortSignal): Promise<void> {
    if (!this.#poked && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const release = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', release);
          this.#release = null;
          resolve();
        };
        const timer = setTimeout(release, timeoutMs);
        signal.addEventListener('abort', release);
        this.#release = release;
      });
    }
    this.#poked = false;
  }
}
