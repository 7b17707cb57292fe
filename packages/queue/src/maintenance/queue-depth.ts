/**
 * How many jobs of a queue wait in BullMQ: as few as keep its workers busy, because whoever comes next waits
 * behind them.
 *
 * That is as many as the workers have seats: each that becomes free finds a job, and the next look brings
 * another. Only where tasks are so short that the workers take more between two looks than that, it
 * becomes more: doubled when the queue was found nearly empty three times within 200 ms, which tasks that
 * last longer can not cause, however many end at once. Halved when half of it is left, and when nobody has
 * seen the queue empty for some seconds.
 */

/** Nobody works on the queue, as far as one knows: nobody is kept waiting. */
const WITHOUT_SEATS = 8;

const LOW_LOOKS = 3;
const LOW_WITHIN_MS = 200;
const FORGET_MS = 3_000;

/** What one look at the queue showed, before it was filled up. */
export interface DepthLook {
  readonly waiting: number;
  readonly seats: number;
  /** Whether tasks of the queue waited for room. */
  readonly hadBacklog: boolean;
  /** Milliseconds, of a clock that only goes forward. */
  readonly at: number;
}

export class QueueDepth {
  readonly #most: number;
  /** Least that is known to be needed: before the first look nobody waits behind more than the seats ask for. */
  #floor = 1;
  #depth = 0;
  #changedAt = 0;
  /** When the queue was found nearly empty, as often as that happened in a row; three at most. */
  #lowAt: number[] = [];

  /** @param most jobs, whatever happens */
  constructor(most: number) {
    this.#most = most;
  }

  /** Jobs, at least 1. */
  get jobs(): number {
    return Math.min(this.#most, Math.max(this.#floor, this.#depth));
  }

  saw({ waiting, seats, hadBacklog, at }: DepthLook): void {
    this.#floor = seats > 0 ? seats : WITHOUT_SEATS;
    const jobs = this.jobs;
    if (hadBacklog && waiting < jobs / 2) {
      this.#lowAt = [...this.#lowAt.slice(1 - LOW_LOOKS), at];
      const [first] = this.#lowAt;
      if (this.#lowAt.length === LOW_LOOKS && at - (first ?? at) <= LOW_WITHIN_MS) {
        this.#become(2 * jobs, at);
      }
      return;
    }
    this.#lowAt = [];
    if (waiting >= jobs / 2 || at - this.#changedAt > FORGET_MS) this.#become(jobs / 2, at);
  }

  #become(jobs: number, at: number): void {
    this.#depth = Math.min(this.#most, Math.floor(jobs));
    this.#changedAt = at;
  }
}
