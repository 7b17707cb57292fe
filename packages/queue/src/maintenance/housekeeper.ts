import {
  type CardStore,
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
  readonly cards: Pick<CardStore, 'deleteOld'>;
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

/** A conversation with a card that is offered no more can be opened again for so long. */
const CARD_KEEP_MS = 30 * 86_400_000;

/** Forgets sessions, workers and cards that are long gone, and of ended tasks what need not be kept. Nothing depends on when. */
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
   * @returns sessions, workers and cards, and tasks whose history, whose result was deleted
   */
  async runOnce(signal?: AbortSignal): Promise<{
    sessions: number;
    workers: number;
    cards: number;
    histories: number;
    results: number;
  }> {
    const {
      sessions,
      catalogue,
      cards,
      tasks,
      sessionIdleMs,
      workerGoneMs = 3_600_000,
    } = this.#options;
    const { eventRetentionMs, resultRetentionMs } = this.#options;
    return {
      sessions: await this.#untilDone(signal, (size) => sessions.deleteIdle(sessionIdleMs, size)),
      workers: await catalogue.deleteGone(workerGoneMs),
      cards: await cards.deleteOld(CARD_KEEP_MS),
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
