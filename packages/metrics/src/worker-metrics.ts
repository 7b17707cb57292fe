import type { Claim } from '@longshore/core';
import {
  KIND_LABELS,
  type ProcessGauges,
  ProcessMetrics,
  type TaskKind,
} from './process-metrics.ts';

export interface WorkerGauges extends ProcessGauges {
  /** Attempts that run now. */
  readonly running: () => number;
}

/** Seconds, from a call that waits for nobody to a batch of hours. */
const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400,
];

/** What a worker counts and measures. */
export class WorkerMetrics extends ProcessMetrics {
  readonly #started = this.counter('attempts_started_total', 'Attempts that began', KIND_LABELS);
  readonly #retried = this.counter(
    'attempts_retried_total',
    'Attempts that failed and are followed by another one',
    KIND_LABELS,
  );
  readonly #waitSeconds = this.histogram(
    'queue_wait_seconds',
    'From accepting a task to its first attempt',
    KIND_LABELS,
    BUCKETS,
  );
  readonly #runSeconds = this.histogram(
    'run_seconds',
    'From the start of an attempt to the end of its tool',
    KIND_LABELS,
    BUCKETS,
  );
  readonly #items = this.counter('batch_items_total', 'Items of batches that are through', [
    'tool',
    'outcome',
  ]);

  started({ toolName, queue, requestMethod, waitedMs }: Claim): void {
    const tool = this.toolName(toolName);
    this.#started.add(1, tool, queue, requestMethod);
    if (waitedMs !== null) this.#waitSeconds.add(waitedMs / 1_000, tool, queue, requestMethod);
  }

  ran({ toolName, queue, requestMethod }: TaskKind, ms: number): void {
    this.#runSeconds.add(ms / 1_000, this.toolName(toolName), queue, requestMethod);
  }

  retried({ toolName, queue, requestMethod }: TaskKind): void {
    this.#retried.add(1, this.toolName(toolName), queue, requestMethod);
  }

  items(
    toolName: string,
    { done, failed }: { readonly done: number; readonly failed: number },
  ): void {
    const tool = this.toolName(toolName);
    if (done > 0) this.#items.add(done, tool, 'done');
    if (failed > 0) this.#items.add(failed, tool, 'failed');
  }

  override expose(gauges: WorkerGauges): void {
    super.expose(gauges);
    this.gauge('attempts_running', 'Attempts that run', [], (gauge) => gauge.set(gauges.running()));
  }
}
