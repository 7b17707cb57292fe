import type { EndedTask, OutcomeKind, WorkMethod } from '@longshore/core';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { TalliedCounter, TalliedHistogram } from './tallies.ts';
import { ToolNames } from './tool-names.ts';

/** What all names begin with. */
export const PREFIX = 'longshore_';

/** Between two looks at the event loop. Each wakes the process: at the 10 ms of the library it takes 1 % of a CPU, also when idle. */
const EVENT_LOOP_MS = 50;

/** Which tasks are counted together. */
export interface ToolKind {
  readonly toolName: string;
  readonly queue: string;
}

/** The same where it matters what of the tool was asked for. */
export interface TaskKind extends ToolKind {
  readonly requestMethod: WorkMethod;
}

/** Who ended a task as cancelled: its client, or the end of the task that had started it. */
export type Canceller = 'client' | 'parent';

/** What sweepers repair: docs/metrics.md says what each is. */
export type SweptKind = 'stale_job' | 'failed' | 'expired' | 'orphan' | 'batch';

/** What is asked only when somebody reads the metrics. */
export interface ProcessGauges {
  readonly connections: () => {
    readonly open: number;
    readonly idle: number;
    readonly waiting: number;
  };
  /** Seconds from sending a message to hearing it; infinite when it does not come. */
  readonly busLag: () => Promise<number>;
  /** Seconds since the relay has looked at all queues. */
  readonly relayLag: () => number;
}

/** An answer to who reads the metrics. */
export interface Exposition {
  readonly contentType: string;
  readonly body: string;
}

export const TOOL_LABELS = ['tool', 'queue'] as const;
export const KIND_LABELS = [...TOOL_LABELS, 'method'] as const;

/** What APIs and workers count and measure alike. Counting is a look-up in memory, and waits for nothing. */
export class ProcessMetrics {
  readonly #tools: ToolNames;
  readonly #registry = new Registry();
  readonly #collectors: (() => void | Promise<void>)[] = [];
  #read: Promise<Exposition> | null = null;

  readonly #finished = this.counter('tasks_finished_total', 'Tasks that ended with an outcome', [
    ...KIND_LABELS,
    'outcome',
  ]);
  readonly #cancelled = this.counter('tasks_cancelled_total', 'Tasks that ended as cancelled', [
    ...TOOL_LABELS,
    'by',
  ]);
  readonly #expired = this.counter(
    'tasks_expired_total',
    'Tasks that were deleted at the end of their ttl and had not ended',
    TOOL_LABELS,
  );
  readonly #lost = this.counter('attempts_lost_total', 'Attempts whose worker died', TOOL_LABELS);
  readonly #swept = this.counter('sweeper_found_total', 'What the sweeper has found and repaired', [
    'kind',
  ]);

  /** @param isOffered whether anybody is known to offer a tool of this name */
  constructor(isOffered: (name: string) => boolean) {
    this.#tools = new ToolNames(isOffered);
  }

  finished(task: TaskKind, outcome: OutcomeKind): void {
    const { toolName, queue, requestMethod } = task;
    this.#finished.add(1, this.toolName(toolName), queue, requestMethod, outcome);
  }

  cancelled(task: ToolKind, by: Canceller): void {
    this.#cancelled.add(1, this.toolName(task.toolName), task.queue, by);
  }

  /** They were cancelled because what had started them has ended. */
  orphaned(tasks: readonly EndedTask[]): void {
    for (const task of tasks) this.cancelled(task, 'parent');
  }

  expired(task: ToolKind): void {
    this.#expired.add(1, this.toolName(task.toolName), task.queue);
  }

  lost(task: ToolKind): void {
    this.#lost.add(1, this.toolName(task.toolName), task.queue);
  }

  swept(kind: SweptKind, count: number): void {
    this.#swept.add(count, kind);
  }

  /** Once, before the first read. Also begins to watch the event loop and the garbage collector. */
  expose({ connections, busLag, relayLag }: ProcessGauges): void {
    collectDefaultMetrics({
      register: this.#registry,
      prefix: PREFIX,
      eventLoopMonitoringPrecision: EVENT_LOOP_MS,
    });
    this.gauge('database_connections', 'Connections to Postgres', ['state'], (gauge) => {
      const { open, idle } = connections();
      gauge.set({ state: 'busy' }, open - idle);
      gauge.set({ state: 'idle' }, idle);
    });
    this.gauge(
      'database_waiting',
      'Statements and transactions that wait for a connection',
      [],
      (gauge) => gauge.set(connections().waiting),
    );
    this.gauge(
      'bus_lag_seconds',
      'From sending a message over the event bus to hearing it, tried when this is read',
      [],
      async (gauge) => gauge.set(await busLag()),
    );
    this.gauge(
      'relay_lag_seconds',
      'Since the relay of this process has looked at all queues',
      [],
      (gauge) => gauge.set(relayLag()),
    );
  }

  /** All of it in Prometheus's text format. Who asks while somebody else does gets the same. */
  read(): Promise<Exposition> {
    this.#read ??= Promise.all(this.#collectors.map(async (collect) => collect()))
      .then(() => this.#registry.metrics())
      .then((body) => ({ contentType: this.#registry.contentType, body }))
      .finally(() => {
        this.#read = null;
      });
    return this.#read;
  }

  protected toolName(name: string): string {
    return this.#tools.label(name);
  }

  /** Its labels are given by their values, in this order. */
  protected counter(name: string, help: string, labelNames: readonly string[]): TalliedCounter {
    const registry = this.#registry;
    return new TalliedCounter({ name: `${PREFIX}${name}`, help, labelNames, registry });
  }

  protected histogram(
    name: string,
    help: string,
    labelNames: readonly string[],
    buckets: readonly number[],
  ): TalliedHistogram {
    const registry = this.#registry;
    return new TalliedHistogram({ name: `${PREFIX}${name}`, help, labelNames, registry }, buckets);
  }

  /** @param collect sets what it is now, whenever the metrics are read */
  protected gauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
    collect: (gauge: Gauge<Label>) => void | Promise<void>,
  ): void {
    const gauge = this.setGauge(name, help, labelNames);
    this.beforeRead(() => collect(gauge));
  }

  /** For gauges that are set together. */
  protected setGauge<Label extends string>(
    name: string,
    help: string,
    labelNames: readonly Label[],
  ): Gauge<Label> {
    return new Gauge({
      name: `${PREFIX}${name}`,
      help,
      labelNames: [...labelNames],
      registers: [this.#registry],
    });
  }

  protected beforeRead(collect: () => void | Promise<void>): void {
    this.#collectors.push(collect);
  }
}
