import type { Seat, Seats } from './seats.ts';

/**
 * The tasks of one job, while they wait for seats. They do so for a while, and not at all where seats are held for longer
 * than that: then another worker has them sooner.
 */
export class Hand {
  readonly #seats: Seats;
  readonly #keptMs: number;
  readonly #inLine = new Set<Seat>();
  #timer: NodeJS.Timeout | null = null;
  #isOver = false;
  #wake: () => void = () => {};

  /** @param keptMs how long they wait, in milliseconds */
  constructor(seats: Seats, keptMs: number) {
    this.#seats = seats;
    this.#keptMs = keptMs;
  }

  /** @returns a seat for the next task, or its place in line; null: none in time */
  async claim(): Promise<Seat | null> {
    while (!this.#isOver) {
      const seat = this.#seats.claim();
      if (seat?.isAway === true) {
        this.#inLine.add(seat);
        void seat.ready.then(() => this.#inLine.delete(seat));
        this.#startTimer();
      }
      if (seat !== null) return seat;
      if (!this.#seats.isExpectedWithin(this.#keptMs)) return null;
      this.#startTimer();
      await this.#room();
    }
    return null;
  }

  /** Nobody waits any more: who stands in line gives up. */
  end(): void {
    this.#isOver = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wake();
    for (const seat of this.#inLine) seat.giveUp();
  }

  #startTimer(): void {
    this.#timer ??= setTimeout(() => this.end(), this.#keptMs);
  }

  #room(): Promise<void> {
    return new Promise((resolve) => {
      const forget = this.#seats.whenClaimable(resolve);
      this.#wake = () => {
        forget();
        resolve();
      };
    });
  }
}
