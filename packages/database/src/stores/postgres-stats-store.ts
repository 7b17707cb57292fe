import type { StatsStore } from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { foldEnded, readSettledUntil } from '../statements/fold-ended.ts';
import { sampleQueues } from '../statements/sample-queues.ts';

const DAY_MS = 86_400_000;
const MINUTES_KEPT_MS = 7 * DAY_MS;
const HOURS_KEPT_MS = 400 * DAY_MS;

export class PostgresStatsStore implements StatsStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async foldEnded(): Promise<number | null> {
    return foldEnded(this.#runner, await readSettledUntil(this.#runner));
  }

  sampleQueues(intervalMs: number): Promise<boolean> {
    return sampleQueues(this.#runner, intervalMs);
  }

  async deleteOldStats(): Promise<void> {
    const now = (await this.#runner.now()).getTime();
    const minutes = { lt: new Date(now - MINUTES_KEPT_MS) };
    await this.#runner.ask('delete-old-minutes', (prisma) =>
      prisma.statMinute.deleteMany({ where: { bucket: minutes } }),
    );
    // Those of 1970 are the latest look.
    await this.#runner.ask('delete-old-gauges', (prisma) =>
      prisma.queueGauge.deleteMany({ where: { bucket: { ...minutes, gt: new Date(0) } } }),
    );
    await this.#runner.ask('delete-old-hours', (prisma) =>
      prisma.statHour.deleteMany({ where: { bucket: { lt: new Date(now - HOURS_KEPT_MS) } } }),
    );
  }
}
