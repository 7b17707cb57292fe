/** While nobody can see it. */
const HIDDEN_MS = 5_000;
const LONGEST_MS = 15_000;
/** When nothing says how often. */
const USUAL_MS = 1_500;

export interface PollingOptions {
  /** @returns when to ask again, in ms, as the server wishes; null: never */
  readonly ask: () => Promise<number | null>;
  readonly failed: (error: unknown) => void;
}

/**
 * Asks again and again, each time when the answer before is there. Slower while the page is hidden, not at all while it is
 * scrolled out of sight, and half as often after each failure.
 */
export class Polling {
  readonly #options: PollingOptions;
  #timer = 0;
  #failures = 0;
  #isAsking = false;
  #isOver = false;
  #isInSight = true;
  #isDue = false;

  constructor(options: PollingOptions) {
    this.#options = options;
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.now();
    });
    new IntersectionObserver((entries) => {
      this.#isInSight = entries.at(-1)?.isIntersecting ?? true;
      if (this.#isInSight && this.#isDue) this.now();
    }).observe(document.documentElement);
  }

  /** Asks at once, unless that is under way; also after the end, which may be one of before. */
  again(): void {
    this.#isOver = false;
    this.now();
  }

  now(): void {
    if (this.#isAsking || this.#isOver) return;
    clearTimeout(this.#timer);
    this.#isDue = false;
    void this.#ask();
  }

  stop(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    this.#isAsking = true;
    let pauseMs: number | null = USUAL_MS;
    try {
      pauseMs = await this.#options.ask();
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#options.failed(error);
    }
    this.#isAsking = false;
    if (pauseMs === null) this.stop();
    if (this.#isOver) return;
    const seen = Math.max(pauseMs ?? USUAL_MS, document.hidden ? HIDDEN_MS : 0);
    const limit = Math.max(seen, LONGEST_MS);
    this.#timer = window.setTimeout(
      () => {
        // The first answer is drawn in any case: a frame may have no height before that.
        if (this.#isInSight) this.now();
        else this.#isDue = true;
      },
      Math.min(seen * 2 ** Math.min(this.#failures, 5), limit),
    );
  }
}
