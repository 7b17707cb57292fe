import type { PrincipalId } from '@longshore/core';

export interface SeatsOptions {
  /** What may run at once. */
  readonly size: number;
  /** Beyond `size`: for principals that have no seat while all are taken. */
  readonly spare: number;
  /** While this many are away, who waits for an answer keeps its seat: each of them costs memory. */
  readonly mostAway: number;
}

/** What is waited for. Tasks need the seat of who waits for them, answers come without it. */
export type Awaited = 'answer' | 'tasks';

/**
 * Who may run, where only so many may at once: the tasks of a queue at this worker, the runs in its threads.
 *
 * Who waits for something else gives its seat away, and stands in line for one when that is over, before
 * anything new. When all are taken, a principal that has none of them gets a spare one, if any is left: nobody
 * waits for tasks of others that do not end. The next seat that becomes free makes up for the spare one.
 */
export class Seats {
  readonly #options: SeatsOptions;
  readonly #taken = new Set<Seat>();
  /** Those in line too. */
  readonly #away = new Set<Seat>();
  /** What to call once they have a seat, in the order of coming. */
  readonly #line = new Map<Seat, () => void>();
  readonly #listeners = new Set<() => void>();

  constructor(options: SeatsOptions) {
    this.#options = options;
  }

  /** Seats taken, spare ones included. */
  get taken(): number {
    return this.#taken.size;
  }

  /** All are taken, and a spare one is left. */
  get hasOnlySpare(): boolean {
    const { size, spare } = this.#options;
    return this.#taken.size >= size && this.#taken.size < size + spare;
  }

  /** A seat for a task whose principal is not known yet (`Seat.principal`). @returns null when none is free */
  take(): Seat | null {
    if (this.#taken.size >= this.#options.size || this.#line.size > 0) return null;
    return this.#seat(new Seat(this, null));
  }

  /** A seat for this principal, if need be a spare one. @returns null when there is none for it */
  takeFor(principal: PrincipalId): Seat | null {
    const seat = new Seat(this, principal);
    return this.#isFreeFor(seat) ? this.#seat(seat) : null;
  }

  /** Waits for a seat. @throws the signal's reason */
  async come(principal: PrincipalId, signal: AbortSignal): Promise<Seat> {
    signal.throwIfAborted();
    const seat = new Seat(this, principal);
    const giveUp = (): void => seat.giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    await this.standInLine(seat);
    signal.removeEventListener('abort', giveUp);
    signal.throwIfAborted();
    return seat;
  }

  /** Calls back when `take` is worth another try, at once if it is. @returns ends that */
  whenFree(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#serve();
    return () => this.#listeners.delete(listener);
  }

  /** Without a seat it will have again. */
  isAway(seat: Seat): boolean {
    return this.#away.has(seat);
  }

  leave(seat: Seat, awaited: Awaited): void {
    if (!this.#taken.has(seat) && !this.#away.has(seat)) return;
    if (awaited === 'answer' && this.#away.size >= this.#options.mostAway) return;
    this.#away.add(seat);
    this.#taken.delete(seat);
    this.#leaveLine(seat);
    this.#serve();
  }

  /** Resolves when it has a seat, or stands in line no more. */
  standInLine(seat: Seat): Promise<void> {
    return new Promise((resolve) => {
      this.#line.set(seat, resolve);
      this.#serve();
    });
  }

  giveUp(seat: Seat): void {
    this.#taken.delete(seat);
    this.#away.delete(seat);
    this.#leaveLine(seat);
    this.#serve();
  }

  #leaveLine(seat: Seat): void {
    this.#line.get(seat)?.();
    this.#line.delete(seat);
  }

  #seat(seat: Seat): Seat {
    this.#away.delete(seat);
    this.#taken.add(seat);
    return seat;
  }

  #isFreeFor({ principal }: Seat): boolean {
    if (this.#taken.size < this.#options.size) return true;
    return this.hasOnlySpare && ![...this.#taken].some((taken) => taken.principal === principal);
  }

  #serve(): void {
    for (const [seat, give] of this.#line) {
      if (!this.#isFreeFor(seat)) continue;
      this.#line.delete(seat);
      this.#seat(seat);
      give();
    }
    if (this.#taken.size >= this.#options.size) return;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const tell of listeners) tell();
  }
}

/** The seat of one run, for as long as that lasts, though others sit on it while it waits. */
export class Seat {
  readonly #seats: Seats;
  /** Null until the task is claimed. */
  principal: PrincipalId | null;
  /** Resolves when it is given away for the first time. */
  readonly left: Promise<void>;
  #waits = 0;
  #leave: () => void = () => {};

  constructor(seats: Seats, principal: PrincipalId | null) {
    this.#seats = seats;
    this.principal = principal;
    this.left = new Promise((resolve) => {
      this.#leave = resolve;
    });
  }

  /** It waits, or stands in line. */
  get isAway(): boolean {
    return this.#seats.isAway(this);
  }

  /**
   * Gives the seat away until the wait is over, and with it all others that began meanwhile.
   *
   * @returns ends the wait, and resolves when the seat is back, when it still waits for something else, or when
   *   it was given up; may be called twice
   */
  wait(awaited: Awaited): () => Promise<void> {
    this.#waits += 1;
    this.#seats.leave(this, awaited);
    if (this.isAway) this.#leave();
    let isOver: Promise<void> | null = null;
    return () => {
      isOver ??= this.#endWait();
      return isOver;
    };
  }

  /** For good. */
  giveUp(): void {
    this.#seats.giveUp(this);
  }

  async #endWait(): Promise<void> {
    this.#waits -= 1;
    if (this.#waits === 0 && this.isAway) await this.#seats.standInLine(this);
  }
}
