import {
  type Logger,
  LongshoreError,
  type PrincipalId,
  type TaskId,
  type TaskStore,
  type TaskWithOutcome,
} from '@longshore/core';

/** 30 s, give or take a third so that many waits are not due at once: only lost messages wait this long. */
const REREAD_MS = 30_000;
/** While Postgres is away. */
const RETRY_MS = 1_000;
/** How often it is looked whose time has come. */
const SWEEP_MS = 1_000;
/** Rows read at once, however many are due; the store groups them. */
const MAX_READING = 256;

/** A row that somebody waits for. */
export interface AwaitedRow {
  readonly id: TaskId;
  readonly owner: PrincipalId;
  /**
   * Called with what was read, null when the row is gone; one call after the other.
   * @throws {LongshoreError} a retryable one: the row is read again
   */
  look(found: TaskWithOutcome | null): Promise<void>;
  /** What reading it threw, or looking at it: not retryable, or thrown after the row was deleted here. */
  fail(error: unknown): void;
}

interface Place {
  /** In milliseconds of `performance.now()`. */
  dueAtMs: number;
  isReading: boolean;
  /** Something happened since the reading under way began. */
  isPoked: boolean;
}

/**
 * Reads the rows of all waits of the process: when they are told to, and every 30 s by one timer, for messages get
 * lost. Never more than `MAX_READING` at once, which the store makes statements of.
 */
export class RowReads {
  readonly #tasks: Pick<TaskStore, 'findWithOutcome'>;
  readonly #log: Logger;
  readonly #places = new Map<AwaitedRow, Place>();
  readonly #due = new Set<AwaitedRow>();
  #reading = 0;
  #sweep: NodeJS.Timeout | null = null;
  #pause: NodeJS.Timeout | null = null;

  constructor(options: { tasks: Pick<TaskStore, 'findWithOutcome'>; log: Logger }) {
    this.#tasks = options.tasks;
    this.#log = options.log;
  }

  get size(): number {
    return this.#places.size;
  }

  /** The row is read at once, and again whenever it may have changed. */
  add(row: AwaitedRow): void {
    this.#places.set(row, { dueAtMs: 0, isReading: false, isPoked: false });
    this.#sweep ??= setInterval(() => this.#sweepOnce(), SWEEP_MS).unref();
    this.poke(row);
  }

  /** @returns whether the row is being looked at: what comes of that is still to come */
  delete(row: AwaitedRow): boolean {
    const isReading = this.#places.get(row)?.isReading === true;
    this.#places.delete(row);
    this.#due.delete(row);
    if (this.#places.size > 0) return isReading;
    if (this.#sweep !== null) clearInterval(this.#sweep);
    if (this.#pause !== null) clearTimeout(this.#pause);
    this.#sweep = null;
    this.#pause = null;
    return isReading;
  }

  /** The row may have changed. */
  poke(row: AwaitedRow): void {
    const place = this.#places.get(row);
    if (place === undefined) return;
    if (place.isReading) place.isPoked = true;
    else {
      this.#due.add(row);
      this.#readDue();
    }
  }

  #sweepOnce(): void {
    const now = performance.now();
    for (const [row, { dueAtMs, isReading }] of this.#places) {
      if (dueAtMs <= now && !isReading) this.#due.add(row);
    }
    this.#readDue();
  }

  #readDue(): void {
    for (const row of this.#due) {
      if (this.#reading >= MAX_READING || this.#pause !== null) return;
      this.#due.delete(row);
      const place = this.#places.get(row);
      if (place !== undefined) void this.#read(row, place);
    }
  }

  /** Never rejects. */
  async #read(row: AwaitedRow, place: Place): Promise<void> {
    this.#reading += 1;
    place.isReading = true;
    place.isPoked = false;
    try {
      await row.look(await this.#tasks.findWithOutcome(row.id, row.owner));
    } catch (error) {
      if (error instanceof LongshoreError && error.retryable) this.#retry(row, error);
      else row.fail(error);
    }
    place.dueAtMs = performance.now() + REREAD_MS * (1 + Math.random() / 3);
    place.isReading = false;
    this.#reading -= 1;
    if (place.isPoked && this.#places.has(row)) this.#due.add(row);
    this.#readDue();
  }

  /** All wait a moment, and one line says so. */
  #retry(row: AwaitedRow, error: LongshoreError): void {
    if (!this.#places.has(row)) {
      row.fail(error);
      return;
    }
    this.#due.add(row);
    if (this.#pause !== null) return;
    this.#log.warn({ err: error, waits: this.#places.size }, 'tasks could not be read, waiting on');
    this.#pause = setTimeout(() => {
      this.#pause = null;
      this.#readDue();
    }, RETRY_MS).unref();
  }
}
