import {
  type Logger,
  PeriodicService,
  type ScheduleId,
  type ScheduleStore,
  type ScheduleWakes,
  type WakingSchedule,
} from '@longshore/core';
import { untilDone } from './until-done.ts';

/** How long before its time a schedule is made sure of. */
const SOON_MS = 60_000;

/** How long what has ended can still be seen. */
const ENDED_KEPT_MS = 7 * 86_400_000;

export interface ScheduleSweeperOptions {
  readonly store: Pick<ScheduleStore, 'wakingWithin' | 'deleteEnded'>;
  readonly wakes: Pick<ScheduleWakes, 'arm' | 'lost'>;
  /** Runs what is due of a schedule. Called again for one that it leaves due, at the next sweep. */
  readonly run: (schedule: WakingSchedule) => Promise<void>;
  readonly log: Logger;
  /** Milliseconds between sweeps; 5 s by default. */
  readonly intervalMs?: number;
  /** Rows per statement; 200 by default. */
  readonly batchSize?: number;
}

/**
 * Runs schedules that nothing woke, and makes sure of the wakes of those that are due within a minute, the 200
 * earliest at most. So a queue that was emptied costs some seconds once. Any number of processes sweep at once.
 */
export class ScheduleSweeper extends PeriodicService {
  readonly #options: ScheduleSweeperOptions;
  readonly #batchSize: number;
  #isAway = false;

  constructor(options: ScheduleSweeperOptions) {
    const { intervalMs = 5_000, log } = options;
    super({
      name: 'schedule sweeper',
      intervalMs,
      minGapMs: intervalMs / 2,
      maxBackoffMs: 30_000,
      log,
    });
    this.#options = options;
    this.#batchSize = options.batchSize ?? 200;
  }

  /**
   * @returns how many schedules were overdue
   * @throws {AggregateError} with the failures of some schedules, after the others were seen to
   */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { store } = this.#options;
    const seen = new Set<ScheduleId>();
    const errors: unknown[] = [];
    let soon: readonly WakingSchedule[] = [];
    let isMore = true;
    while (isMore && !isAborted(signal)) {
      const found = await store.wakingWithin(SOON_MS, this.#batchSize);
      const due = found.filter(({ id, wakesInMs }) => wakesInMs <= 0 && !seen.has(id));
      for (const schedule of due) {
        if (isAborted(signal)) break;
        seen.add(schedule.id);
        await this.#options.run(schedule).catch((error: unknown) => errors.push(error));
      }
      // What was overdue had no wake, or one that is late.
      await this.#arm(due.filter(({ cron }) => cron !== null));
      soon = found.filter(({ wakesInMs }) => wakesInMs > 0);
      isMore = due.length > 0 && found.length === this.#batchSize;
    }
    await this.#armLost(soon);
    await untilDone(this.#batchSize, signal, (size) => store.deleteEnded(ENDED_KEPT_MS, size));
    if (errors.length > 0) throw new AggregateError(errors, `${errors.length} schedules failed`);
    return seen.size;
  }

  async #armLost(soon: readonly WakingSchedule[]): Promise<void> {
    if (soon.length === 0) return;
    await this.#whileThere(async () => {
      const ids = await this.#options.wakes.lost(soon);
      await this.#arm(soon.filter(({ id }) => ids.has(id)));
    });
  }

  async #arm(schedules: readonly WakingSchedule[]): Promise<void> {
    if (schedules.length === 0) return;
    await this.#whileThere(async () => {
      for (const schedule of schedules) await this.#options.wakes.arm(schedule);
    });
  }

  /** A queue that is away makes schedules late by a sweep at most, so it does not hold up the next one. */
  async #whileThere(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#isAway = false;
    } catch (error) {
      if (!this.#isAway) {
        this.#options.log.warn({ err: error }, 'schedules have no wakes, sweeps run them');
      }
      this.#isAway = true;
    }
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true;
