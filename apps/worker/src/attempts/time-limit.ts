import { startLongTimer } from './long-timer.ts';

/** A time limit that can stand still. Pauses are counted: it goes on when the last one has ended. */
export class TimeLimit {
  readonly #over: () => void;
  #leftMs: number;
  #pauses = 0;
  #started = false;
  #runningSince = 0;
  #stopTimer: (() => void) | null = null;

  /** @param over called once, when `limitMs` milliseconds outside of pauses have passed */
  constructor(limitMs: number, over: () => void) {
    this.#leftMs = limitMs;
    this.#over = over;
  }

  start(): void {
    if (this.#started) return;
    this.#started = true;
    this.#run();
  }

  /** For good. */
  stop(): void {
    this.#halt();
    this.#started = false;
  }

  pause(): void {
    this.#pauses += 1;
    if (this.#pauses === 1) this.#halt();
  }

  resume(): void {
    this.#pauses -= 1;
    if (this.#pauses === 0) this.#run();
  }

  #run(): void {
    if (!this.#started || this.#pauses > 0) return;
    this.#runningSince = performance.now();
    this.#stopTimer = startLongTimer(this.#leftMs, this.#over);
  }

  #halt(): void {
    if (this.#stopTimer === null) return;
    this.#stopTimer();
    this.#stopTimer = null;
    this.#leftMs -= performance.now() - this.#runningSince;
  }
}
