import type { AuditAction, DeliveryEnd, Era } from '@longshore/core';
import {
  KIND_LABELS,
  type ProcessGauges,
  ProcessMetrics,
  type TaskKind,
} from './process-metrics.ts';

/** Where a queue stands, as one process of the fleet has seen it lately. */
export interface QueueStand {
  readonly queue: string;
  /** Tasks that wait for their turn or for a worker, retries among them. */
  readonly waiting: number;
  readonly running: number;
  readonly oldestWaitMs: number;
  readonly workers: number;
  readonly seats: number;
  /** By tools whose tasks wait for a worker. */
  readonly tools: Readonly<Record<string, { readonly ready: number; readonly oldestMs: number }>>;
}

export interface ApiGauges extends ProcessGauges {
  readonly openStreams: () => number;
  readonly heldRequests: () => number;
  /** Names of the tools that somebody offers. */
  readonly offeredTools: () => Iterable<string>;
  /** Null: they can not be read. */
  readonly queues: () => Promise<readonly QueueStand[] | null>;
}

/** Seconds. An accept is a commit, or the wait for one. */
const ACCEPT_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** What an API counts and measures. */
export class ApiMetrics extends ProcessMetrics {
  readonly #accepted = this.counter('tasks_accepted_total', 'Tasks that were committed', [
    ...KIND_LABELS,
    'era',
    'delivery',
  ]);
  readonly #acceptSeconds = this.histogram(
    'accept_seconds',
    'From a checked call to its committed task',
    ['era'],
    ACCEPT_BUCKETS,
  );

  readonly #audited = this.counter('audited_total', 'What is in the audit trail', ['action']);
  readonly #webhookAttempts = this.counter(
    'webhook_attempts_total',
    'Messages that were sent to webhooks, and what came of it',
    ['end'],
  );

  accepted(task: TaskKind & { readonly era: Era; readonly listed: boolean }): void {
    const { toolName, queue, requestMethod, era, listed } = task;
    const delivery = listed ? 'task' : 'held';
    this.#accepted.add(1, this.toolName(toolName), queue, requestMethod, era, delivery);
  }

  acceptTook(era: Era, ms: number): void {
    this.#acceptSeconds.add(ms / 1_000, era);
  }

  /** Also what is one entry with others. */
  audited(action: AuditAction): void {
    this.#audited.add(1, action);
  }

  webhookTold(end: DeliveryEnd['kind']): void {
    this.#webhookAttempts.add(1, end);
  }

  override expose(gauges: ApiGauges): void {
    super.expose(gauges);
    this.gauge('open_streams', 'Event streams that are open', [], (gauge) =>
      gauge.set(gauges.openStreams()),
    );
    this.gauge(
      'held_requests',
      'Requests and streams that are held open for clients',
      [],
      (gauge) => gauge.set(gauges.heldRequests()),
    );
    this.gauge('tool_offered', '1 for each tool that a worker offers', ['tool'], (gauge) => {
      gauge.reset();
      for (const name of gauges.offeredTools()) gauge.set({ tool: this.toolName(name) }, 1);
    });
    this.#exposeQueues(gauges.queues);
  }

  /** One look for all gauges of a read, and none of them when it fails: an old figure looks like a new one. */
  #exposeQueues(look: ApiGauges['queues']): void {
    const waiting = this.setGauge('queue_waiting', 'Tasks of the fleet that wait, up to 10,000', [
      'queue',
    ]);
    const running = this.setGauge('queue_running', 'Tasks of the fleet that run', ['queue']);
    const oldest = this.setGauge(
      'queue_oldest_wait_seconds',
      'How long the oldest task has waited that nobody ever started',
      ['queue'],
    );
    const workers = this.setGauge('queue_workers', 'Workers that serve the queue', ['queue']);
    const seats = this.setGauge('queue_seats', 'Tasks that its workers can run at once', ['queue']);
    const toolReady = this.setGauge('tool_ready', 'Tasks that wait for a worker', [
      'tool',
      'queue',
    ]);
    this.beforeRead(async () => {
      for (const gauge of [waiting, running, oldest, workers, seats, toolReady]) gauge.reset();
      for (const stand of (await look()) ?? []) {
        const { queue } = stand;
        waiting.set({ queue }, stand.waiting);
        running.set({ queue }, stand.running);
        oldest.set({ queue }, stand.oldestWaitMs / 1_000);
        workers.set({ queue }, stand.workers);
        seats.set({ queue }, stand.seats);
        for (const [toolName, { ready }] of Object.entries(stand.tools))
          toolReady.inc({ tool: this.toolName(toolName), queue }, ready);
      }
    });
  }
}
