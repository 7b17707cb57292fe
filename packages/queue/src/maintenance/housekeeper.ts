import {
  type CatalogueStore,
  type Logger,
  type MaintenanceStore,
  PeriodicService,
  type SessionStore,
} from '@longshore/core';
import { untilDone } from './until-done.ts';

export interface HousekeeperOptions {
  readonly sessions: Pick<SessionStore, 'deleteIdle'>;
  readonly catalogue: Pick<CatalogueStore, 'deleteGone'>;
  readonly tasks: Pick<MaintenanceStore, 'pruneEvents' | 'pruneResults'>;
  readonly log: Logger;
  /** Milliseconds after which a session nobody used is deleted. */
  readonly sessionIdleMs: number;
  /** Milliseconds after a task's end that its history, its result are kept; null: as long as the task. */
  readonly eventRetentionMs: number | null;
  readonly resultRetentionMs: number | null;
  /** Milliseconds after which a silent worker is forgotten; an hour by default. */
  readonly workerGoneMs?: number;
  /** Milliseconds between runs; a minute by default. */
  readonly intervalMs?: number;
  /** Rows per statement; 500 by default. */
  readonly batchSize?: number;
}

/** Forgets sessions and workers that are long gone, and of ended tasks what need not be kept. Nothing depends on when. */
export class Housekeeper extends PeriodicService {
  readonly #options: HousekeeperOptions;

  constructor(options: HousekeeperOptions) {
    const { intervalMs = 60_000, log } = options;
    super({
      name: 'housekeeper',
      intervalMs,
      minGapMs: intervalMs / 2,
      maxBackoffMs: 600_000,
      log,
    });
    this.#options = options;
  }

  /**
   * Deletes each kind in batches until none is left.
   *
   * @returns sessions and workers, and tasks whose history, whose result was deleted
   */
  async runOnce(
    signal?: AbortSignal,
  ): Promise<{ sessions: number; workers: number; histories: number; results: number }> {
    const { sessions, catalogue, tasks, sessionIdleMs, workerGoneMs = 3_600_000 } = this.#options;
    const { eventRetentionMs, resultRetentionMs } = this.#options;
    return {
      sessions: await this.#untilDone(signal, (size) => sessions.deleteIdle(sessionIdleMs, size)),
      workers: await catalogue.deleteGone(workerGoneMs),
      histories: await this.#untilDone(signal, (size) =>
        eventRetentionMs === null ? none() : tasks.pruneEvents(eventRetentionMs, size),
      ),
      results: await this.#untilDone(signal, (size) =>
        resultRetentionMs === null ? none() : tasks.pruneResults(resultRetentionMs, size),
      ),
    };
  }

  #untilDone(
    signal: AbortSignal | undefined,
    batch: (size: number) => Promise<number>,
  ): Promise<number> {
    return untilDone(this.#options.batchSize ?? 500, signal, batch);
  }
}

const none = (): Promise<number> => Promise.resolve(0);
