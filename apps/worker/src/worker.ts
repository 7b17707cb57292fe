import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AttemptStore,
  type BatchStore,
  type CatalogueStore,
  type EventBus,
  type InputStore,
  type JobConsumer,
  type JobConsumerOptions,
  type JobQueue,
  type Logger,
  type Service,
  ServiceLifecycle,
  type TaskId,
  type ToolStarts,
  type WorkerAnnouncement,
  type WorkerId,
  withDeadline,
} from '@longshore/core';
import type { WorkerMetrics } from '@longshore/metrics';
import type { Pauses } from '@longshore/queue';
import { AttemptRunner, type AttemptRunnerOptions } from './attempts/attempt-runner.ts';
import { RequestHandlers } from './attempts/request-handlers.ts';
import { RunningAttempts } from './attempts/running-attempts.ts';
import { TaskIntake } from './attempts/task-intake.ts';
import { ToolLookup } from './batch/tool-lookup.ts';
import { InputWaits } from './inputs/input-waits.ts';
import { cardsOf, type Offers, offersOfQueues, queuesOf } from './plugins/offers.ts';
import { StartWaits } from './requests/start-waits.ts';
import { Seats } from './run/seats.ts';
import { within } from './run/store-call.ts';
import { Announcer } from './services/announcer.ts';
import { Heartbeat } from './services/heartbeat.ts';
import { OrderListener } from './services/order-listener.ts';
import { SpareSeats } from './services/spare-seats.ts';
import type { ToolThreads } from './threads/thread-pool.ts';

export interface WorkerOptions {
  readonly id: WorkerId;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** What goes through the queues this worker serves. */
  readonly offers: Offers;
  /** Where isolated tools run. */
  readonly threads: ToolThreads;
  /** Tasks run at once, per queue. */
  readonly concurrency: number;
  /** Tasks run beyond that, per queue, of principals that run none while all seats are taken. */
  readonly spareSeats: number;
  /** A worker silent for this long loses its tasks, in milliseconds. */
  readonly leaseMs: number;
  /** How long `stop` lets running tasks finish before it hands them over, in milliseconds. */
  readonly shutdownGraceMs: number;
  /** How long a stopped tool has to return before its slot is given away, in milliseconds; 5 s by default. */
  readonly abortGraceMs?: number;
  readonly attempts: AttemptStore;
  readonly batches: BatchStore;
  /** Of tools with a rate. */
  readonly starts: ToolStarts;
  /** Items of one batch at most. */
  readonly maxBatchItems: number;
  readonly inputs: Pick<InputStore, 'pending' | 'answer'>;
  readonly files: AttemptRunnerOptions['files'];
  readonly results: AttemptRunnerOptions['results'];
  readonly catalogue: CatalogueStore;
  /** Says that tasks wait for their jobs, or may have them now. */
  readonly pokeRelay: () => void;
  readonly jobs: Pick<JobQueue, 'addLater' | 'remove'>;
  /** Gives tasks back that have no job. */
  readonly unadmit: (taskIds: readonly TaskId[]) => Promise<void>;
  /** What is not to start. */
  readonly pauses: Pick<Pauses, 'has' | 'tools'>;
  readonly bus: EventBus;
  /** Tells whoever subscribed that a resource changed; called with whatever a plugin hands in. */
  readonly resourceUpdated: (uri: unknown) => void;
  readonly createConsumer: (options: JobConsumerOptions) => JobConsumer;
  readonly metrics: WorkerMetrics;
  readonly log: Logger;
}

const BEATS_PER_LEASE = 4;

/** Attempts of a queue that wait for answers without a seat. What they keep in memory is the worker's. */
const MOST_AWAY = 1_000;

const UNADMIT_TIMEOUT_MS = 2_000;

/** Beyond the grace: stopped tools have a second to return, and releasing them takes a moment. */
const HAND_OVER_MS = 2_500;

/** Jobs of a queue that wait here for seats at most, whose tasks other workers do not see meanwhile. */
const MOST_IN_HAND = 8;

/**
 * Runs tasks: consumes the queues of what it offers, keeps the leases of what it runs, hears orders, and
 * stands in the catalogue from the moment it can work until it begins to stop.
 */
export class Worker implements Service {
  readonly queues: readonly string[];
  readonly #options: WorkerOptions;
  readonly #running = new RunningAttempts();
  readonly #heartbeat: Heartbeat;
  readonly #orders: OrderListener;
  readonly #inputs: InputWaits;
  readonly #intake: TaskIntake;
  readonly #consumers: readonly JobConsumer[];
  readonly #spareSeats: SpareSeats;
  readonly #announcer: Announcer;
  readonly #handlers: RequestHandlers;
  readonly #lifecycle: ServiceLifecycle;
  /** Fires when what runs has no more time than the grace. */
  readonly #hurry = new AbortController();

  constructor(options: WorkerOptions) {
    const { id, offers, leaseMs, attempts, bus, log } = options;
    const running = this.#running;
    this.#options = options;
    this.queues = queuesOf(offers);
    this.#handlers = new RequestHandlers(offers, {
      threads: options.threads,
      batches: options.batches,
      starts: new StartWaits({ starts: options.starts, log }),
      metrics: options.metrics,
    });
    this.#heartbeat = new Heartbeat({ workerId: id, leaseMs, attempts, bus, running, log });
    this.#inputs = new InputWaits({ attempts, bus, log });
    this.#orders = new OrderListener({
      workerId: id,
      bus,
      running,
      inputs: this.#inputs,
      resync: () => this.#heartbeat.poke(),
    });
    const runner = new AttemptRunner({
      batches: {
        store: options.batches,
        attempts,
        inputStore: options.inputs,
        tools: new ToolLookup(options.catalogue),
        bus,
        poke: options.pokeRelay,
        maxItems: options.maxBatchItems,
        metrics: options.metrics,
        log,
      },
      workerId: id,
      leaseMs,
      handlers: this.#handlers,
      attempts,
      catalogue: options.catalogue,
      bus,
      inputs: this.#inputs,
      files: options.files,
      results: options.results,
      resourceUpdated: options.resourceUpdated,
      metrics: options.metrics,
      log,
      statusChanged: () => this.#heartbeat.poke(),
      ...(options.abortGraceMs === undefined ? {} : { abortGraceMs: options.abortGraceMs }),
    });
    const intake = new TaskIntake({
      workerId: id,
      leaseMs,
      attempts,
      running,
      runner,
      jobs: options.jobs,
      unadmit: (taskIds) => this.#unadmit(taskIds),
      pauses: options.pauses,
      seatFreed: options.pokeRelay,
      log,
    });
    this.#intake = intake;
    const { concurrency, spareSeats } = options;
    const seats = new Map(
      this.queues.map((queue) => [
        queue,
        new Seats({
          size: concurrency,
          // Who wants one task at a time gets that.
          spare: concurrency === 1 ? 0 : spareSeats,
          mostAway: MOST_AWAY,
        }),
      ]),
    );
    this.#consumers = [...seats].map(([queue, own]) =>
      options.createConsumer({
        queue,
        concurrency: Math.min(concurrency, MOST_IN_HAND),
        leaseMs,
        handler: (taskIds) => intake.takeAll(taskIds, { queue, seats: own }),
      }),
    );
    this.#spareSeats = new SpareSeats({
      seats,
      attempts,
      handlers: this.#handlers,
      jobs: options.jobs,
      run: (taskId, seat, lane) => intake.takeOne(taskId, seat, lane),
      log,
    });
    this.#announcer = new Announcer({
      announcement: this.#announcementOf(offers),
      catalogue: options.catalogue,
      bus,
      log,
      beatIntervalMs: leaseMs / BEATS_PER_LEASE,
    });
    this.#lifecycle = new ServiceLifecycle({ up: () => this.#begin(), down: () => this.#end() });
  }

  /** Whether it has its seats and Postgres has heard of it within its lease; false from the moment it begins to stop. */
  get isReady(): boolean {
    return this.#announcer.isHeardWithin(this.#options.leaseMs);
  }

  /** Attempts that it has. */
  get running(): number {
    return this.#running.size;
  }

  /** Resolves when the worker takes jobs and is in the catalogue. */
  start(): Promise<void> {
    return this.#lifecycle.start();
  }

  /**
   * Takes no more jobs, lets running ones finish for the grace, then hands the rest to other workers:
   * their tools are stopped, their tasks released and their jobs put back. For good: a worker that
   * was stopped is not started again.
   */
  stop(): Promise<void> {
    this.#hurry.abort();
    return this.#lifecycle.stop();
  }

  /**
   * Stops as `stop` does, but lets running tasks finish however long they take; who waits for an answer or for
   * other tasks is handed over at once. `stop` meanwhile gives them the grace and no more.
   */
  retire(): Promise<void> {
    return this.#lifecycle.stop();
  }

  /** Takes nothing new, or does again; what it has goes on, and it stays in the catalogue. */
  async setDraining(isDraining: boolean): Promise<void> {
    if (!this.#lifecycle.isRunning) return;
    this.#options.log.info(
      { attempts: this.#running.size },
      isDraining ? 'draining' : 'taking tasks again',
    );
    const takers = [this.#spareSeats, ...this.#consumers];
    await Promise.all(takers.map((taker) => (isDraining ? taker.stop() : taker.start())));
  }

  /**
   * Offers this instead, from now on; what runs goes on. Queues are served from the start or not at all: what
   * goes through another one is left out.
   */
  offer(offers: Offers): Promise<void> {
    const served = offersOfQueues(offers, this.queues);
    const left = queuesOf(offers).filter((queue) => !this.queues.includes(queue));
    if (left.length > 0) {
      this.#options.log.warn({ queues: left }, 'tools of queues this worker does not serve');
    }
    this.#handlers.replace(served);
    return this.#announcer.announceInstead(this.#announcementOf(served));
  }

  #announcementOf({ tools, prompts, resources }: Offers): WorkerAnnouncement {
    const { id, host, pid, version, concurrency, leaseMs } = this.#options;
    return {
      id,
      host,
      pid,
      version,
      queues: this.queues,
      concurrency,
      leaseMs,
      tools: tools.map(({ announced }) => announced),
      prompts: prompts.map(({ announced }) => announced),
      resources: resources.map(({ announced }) => announced),
      cards: cardsOf(tools),
    };
  }

  /**
   * The relay brings other jobs, at once when there is room: what a limit waited for may have ended in between.
   * Should this fail, the sweeper takes the tasks for those whose jobs have vanished.
   */
  async #unadmit(taskIds: readonly TaskId[]): Promise<void> {
    const { unadmit, pokeRelay, log } = this.#options;
    try {
      await within(UNADMIT_TIMEOUT_MS, unadmit(taskIds), 'giving tasks back');
      pokeRelay();
    } catch (err) {
      log.warn({ taskIds, err }, 'tasks left to the sweeper');
    }
  }

  async #begin(): Promise<void> {
    try {
      await this.#orders.start();
      await this.#heartbeat.start();
      await this.#inputs.start();
      await Promise.all(this.#consumers.map((consumer) => consumer.start()));
      await this.#spareSeats.start();
      await this.#announcer.start();
    } catch (error) {
      this.#hurry.abort();
      throw error;
    }
  }

  async #end(): Promise<void> {
    await this.#announcer.stop();
    this.#intake.stopTaking();
    this.#running.drainWaiting();
    const takers = [this.#spareSeats, ...this.#consumers];
    const ended = Promise.all(takers.map((taker) => taker.stop())).then(() => this.#intake.ended());
    const grace = new AbortController();
    const over = firing(this.#hurry.signal)
      .then(() => sleep(this.#options.shutdownGraceMs, true, { signal: grace.signal }))
      .catch(() => false);
    if (await Promise.race([over, ended.then(() => false)])) {
      const { log } = this.#options;
      log.info({ attempts: this.#running.size }, 'handing over running tasks');
      this.#running.drain();
      await withDeadline(ended, HAND_OVER_MS, () => new Error('time-out')).catch((err: unknown) => {
        log.warn(
          { err, attempts: this.#running.size },
          'attempts are left to the end of their leases',
        );
      });
    }
    grace.abort();
    await this.#inputs.stop();
    await this.#heartbeat.stop();
    await this.#orders.stop();
  }
}

function firing(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
