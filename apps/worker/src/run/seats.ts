import type { PrincipalId } from '@longshore/core';

export interface SeatsOptions {
  /** What may run at once. */
  readonly size: number;
  /** Beyond `size`: for principals that have no seat while all are taken. */
  readonly spare: number;
  /** While this many are away, who waits for an answer keeps its seat: each of them costs memory. */
  readonly mostAway: number;
}

/** Tasks are claimed ahead of their seats as many as get one within about this, going by those before them. */
const AHEAD_MS = 20;

/** Most claimed ahead, however short tasks are. */
const MOST_AHEAD = 256;

/** So many may write outcomes behind the seats, and as many as there are seats where these are more. Each is a small one. */
const MOST_BEHIND = 64;

/** How much the latest of the tasks says about how long they take. */
const LATEST = 0.1;

/** What is waited for. Tasks need the seat of who waits for them, answers come without it. */
export type Awaited = 'answer' | 'tasks';

/**
 * Who may run, where only so many may at once: the tasks of a queue at this worker, the runs in its threads.
 *
 * A seat is for running, not for what the database does about it. While tasks are short, `claim` lets some more be claimed
 * that stand in line, and who only writes its outcome (`Seat.write`) sits behind, within a bound: the writes of a database
 * that is slow, or away, stop the claims.
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
  /** The same for those claimed ahead, who come after the others. */
  readonly #ahead = new Map<Seat, () => void>();
  /** They have run, and are writing what came of it. */
  readonly #behind = new Set<Seat>();
  /** To be told of a free seat, and of a place that may be claimed. */
  readonly #forSeat = new Set<() => void>();
  readonly #forPlace = new Set<() => void>();
  /** How long runs sit, in milliseconds, about; null: none has ended yet. */
  #heldMs: number | null = null;
  /** When a seat became free for anybody, by `performance.now()`. */
  #freedAt = 0;
  /** One of those ahead has gone without a seat since: their like would be claimed and given back again and again. */
  #wasInVain = false;

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
    const hasLine = this.#line.size + this.#ahead.size > 0;
    if (this.#taken.size >= this.#options.size || hasLine) return null;
    return this.#seat(new Seat(this, null));
  }

  /** Whether one of those who have no seat can expect one within so many milliseconds. */
  isExpectedWithin(ms: number): boolean {
    return this.#heldMs === null || this.#expectedMs() <= ms;
  }

  /**
   * A seat for a task that is yet to be claimed, or, if it gets one soon, a place in line (`Seat.ready`).
   *
   * @returns null when there is neither
   */
  claim(): Seat | null {
    if (this.#isBehind) return null;
    const seat = this.take();
    if (seat !== null) return seat;
    if (this.#ahead.size >= this.#mostAhead()) return null;
    const ahead = new Seat(this, null);
    this.#away.add(ahead);
    ahead.ready = new Promise((resolve) => {
      this.#ahead.set(ahead, resolve);
    });
    return ahead;
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

  /** Calls back, once, when `take` is worth another try, at once if it is. @returns ends that */
  whenFree(listener: () => void): () => void {
    return this.#tellOf(this.#forSeat, listener);
  }

  /** The same for `claim`. */
  whenClaimable(listener: () => void): () => void {
    return this.#tellOf(this.#forPlace, listener);
  }

  #tellOf(listeners: Set<() => void>, listener: () => void): () => void {
    listeners.add(listener);
    this.#serve();
    return () => listeners.delete(listener);
  }

  isTaken(seat: Seat): boolean {
    return this.#taken.has(seat);
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

  write(seat: Seat): void {
    if (!this.#taken.delete(seat)) return;
    this.#behind.add(seat);
    this.#satFor(seat);
    this.#serve();
  }

  giveUp(seat: Seat): void {
    if (this.#taken.delete(seat)) this.#satFor(seat);
    if (this.#ahead.has(seat)) this.#wasInVain = true;
    this.#away.delete(seat);
    this.#behind.delete(seat);
    this.#leaveLine(seat);
    this.#serve();
  }

  /** What ends on a spare seat makes room for nobody else. */
  #satFor(seat: Seat): void {
    if (this.#taken.size >= this.#options.size) return;
    this.#wasInVain = false;
    this.#freedAt = performance.now();
    const ms = this.#freedAt - seat.since;
    this.#heldMs = this.#heldMs === null ? ms : this.#heldMs + LATEST * (ms - this.#heldMs);
  }

  /** How long a run sits, in milliseconds: as long as those before, or longer, when none has ended for a while. */
  #expectedMs(): number {
    if (this.#heldMs === null) return Number.POSITIVE_INFINITY;
    return Math.max(this.#heldMs, performance.now() - this.#freedAt);
  }

  #mostAhead(): number {
    if (this.#wasInVain) return 0;
    const expected = (this.#options.size * AHEAD_MS) / this.#expectedMs();
    return Math.min(MOST_AHEAD, Math.floor(expected));
  }

  get #isBehind(): boolean {
    return this.#behind.size >= Math.max(MOST_BEHIND, this.#options.size);
  }

  #leaveLine(seat: Seat): void {
    for (const line of [this.#line, this.#ahead]) {
      line.get(seat)?.();
      line.delete(seat);
    }
  }

  #seat(seat: Seat): Seat {
    this.#away.delete(seat);
    this.#taken.add(seat);
    seat.since = performance.now();
    return seat;
  }

  #isFreeFor({ principal }: Seat): boolean {
    if (this.#taken.size < this.#options.size) return true;
    return this.hasOnlySpare && ![...this.#taken].some((taken) => taken.principal === principal);
  }

  #give(line: Map<Seat, () => void>, seat: Seat, give: () => void): void {
    line.delete(seat);
    this.#seat(seat);
    give();
  }

  #serve(): void {
    for (const [seat, give] of this.#line) {
      if (this.#isFreeFor(seat)) this.#give(this.#line, seat, give);
    }
    // No spare seats for these: who has to wait for long is not claimed ahead.
    for (const [seat, give] of this.#ahead) {
      if (this.#taken.size >= this.#options.size) break;
      this.#give(this.#ahead, seat, give);
    }
    if (this.#isBehind) return;
    let free = this.#options.size - this.#taken.size;
    // Half of the places at once, so that many are claimed together. Who is told takes one at least, and its end tells the next.
    if (free > 0 || 2 * this.#ahead.size < this.#mostAhead()) free -= tell(this.#forPlace, 1);
    tell(this.#forSeat, free);
  }
}

/** Tells so many of those who have waited longest. @returns how many there were */
function tell(listeners: Set<() => void>, most: number): number {
  let told = 0;
  for (const listener of listeners) {
    if (told >= most) break;
    told += 1;
    listeners.delete(listener);
    listener();
  }
  return told;
}

/** The seat of one run, for as long as that lasts, though others sit on it while it waits. */
export class Seat {
  readonly #seats: Seats;
  /** Null until the task is claimed. */
  principal: PrincipalId | null;
  /** Resolves when it may be sat on, or was given up. */
  ready: Promise<void> = Promise.resolve();
  /** When it was last taken, by `performance.now()`. */
  since = 0;
  #waits = 0;

  constructor(seats: Seats, principal: PrincipalId | null) {
    this.#seats = seats;
    this.principal = principal;
  }

  /** It may run. */
  get isTaken(): boolean {
    return this.#seats.isTaken(this);
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
    let isOver: Promise<void> | null = null;
    return () => {
      isOver ??= this.#endWait();
      return isOver;
    };
  }

  /** The task has run: others may sit here while its outcome, which is small, is written. */
  write(): void {
    this.#seats.write(this);
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
