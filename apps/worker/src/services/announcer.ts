import {
  CATALOGUE_TOPIC,
  type CatalogueStore,
  type EventBus,
  type Logger,
  PeriodicLoop,
  type Service,
  ServiceLifecycle,
  type WorkerAnnouncement,
} from '@longshore/core';
import { within } from '../run/store-call.ts';

export interface AnnouncerOptions {
  readonly announcement: WorkerAnnouncement;
  readonly catalogue: CatalogueStore;
  readonly bus: EventBus;
  readonly log: Logger;
  /** Pause between two signs of life, in milliseconds. */
  readonly beatIntervalMs: number;
}

const TIMEOUT_MS = 10_000;

/**
 * Keeps this worker and its tools in the catalogue: announces them at start, says regularly that the
 * worker lives, announces again when its row was deleted (it was silent for too long), and takes
 * everything back at stop. Each change of the catalogue is published, so that the APIs read it anew.
 */
export class Announcer implements Service {
  readonly #options: AnnouncerOptions;
  readonly #beats: PeriodicLoop;
  readonly #lifecycle: ServiceLifecycle;
  #announcement: WorkerAnnouncement;
  #announcing: Promise<void> = Promise.resolve();
  /** What is in the catalogue is not what it should be: announcing failed. */
  #isDue = false;
  #failing = false;
  /** When the database was last asked what it then said yes to, by `performance.now()`. */
  #heardAt = Number.NEGATIVE_INFINITY;

  constructor(options: AnnouncerOptions) {
    this.#options = options;
    this.#announcement = options.announcement;
    this.#beats = new PeriodicLoop({
      name: 'announcer',
      pace: 'beat',
      intervalMs: options.beatIntervalMs,
      run: () => this.runOnce(),
      log: options.log,
    });
    this.#lifecycle = new ServiceLifecycle({
      up: async () => {
        await this.#announce();
        await this.#beats.start();
      },
      down: () => this.#retire(),
    });
  }

  /** Whether the database has heard of this worker within `ms` milliseconds; false from the moment it begins to stop. */
  isHeardWithin(ms: number): boolean {
    return this.#lifecycle.isRunning && performance.now() - this.#heardAt < ms;
  }

  /** @throws what the catalogue store threw: a worker that can not announce is of no use */
  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  /** Never rejects: a worker that is not taken back is forgotten when it has been silent for long. */
  stop(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /**
   * Announces something else from now on. Rejects when the database can not be reached; the next sign of life
   * tries again.
   */
  async announceInstead(announcement: WorkerAnnouncement): Promise<void> {
    this.#announcement = announcement;
    if (this.#lifecycle.isRunning) await this.#announce();
  }

  /** One sign of life. Never rejects. */
  async runOnce(): Promise<void> {
    const { catalogue, log } = this.#options;
    const askedAt = performance.now();
    try {
      const known = await within(
        TIMEOUT_MS,
        catalogue.beat(this.#announcement.id),
        'the sign of life',
      );
      if (!known) log.warn({}, 'worker had been forgotten: announcing it again');
      if (known) this.#heardAt = askedAt;
      if (!known || this.#isDue) await this.#announce();
      if (this.#failing) log.info({}, 'announcing works again');
      this.#failing = false;
    } catch (err) {
      if (!this.#failing) log.warn({ err }, 'announcing failed');
      this.#failing = true;
    }
  }

  /** One after the other: of two at once, either could be the last to reach the database. */
  #announce(): Promise<void> {
    const announced = this.#announcing.then(async () => {
      this.#isDue = true;
      const askedAt = performance.now();
      const announcing = this.#options.catalogue.announce(this.#announcement);
      await within(TIMEOUT_MS, announcing, 'announcing the worker');
      this.#isDue = false;
      this.#heardAt = askedAt;
      await this.#publishChange();
    });
    this.#announcing = announced.catch(() => {});
    return announced;
  }

  async #retire(): Promise<void> {
    await this.#beats.stop();
    const { catalogue, log } = this.#options;
    await this.#announcing;
    try {
      await within(TIMEOUT_MS, catalogue.retire(this.#announcement.id), 'retiring the worker');
      await this.#publishChange();
    } catch (err) {
      log.warn({ err }, 'worker could not be retired');
    }
  }

  async #publishChange(): Promise<void> {
    await this.#options.bus.publish(CATALOGUE_TOPIC, { kind: 'catalogue-changed' });
  }
}
