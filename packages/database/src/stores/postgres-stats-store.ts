import type { StatsStore } from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { foldEnded, readSettledUntil } from '../statements/fold-ended.ts';
import { sampleQueues } from '../statements/sample-queues.ts';

const MINUTES_KEPT = Prisma.sql`interval '7 days'`;
const HOURS_KEPT = Prisma.sql`interval '400 days'`;

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

  /** By the primary keys, which begin with the bucket. */
  async deleteOldStats(): Promise<void> {
    await this.#runner.run({
      name: 'delete-old-stats',
      row: z.never(),
      sql: Prisma.sql`
        WITH minutes AS (
          DELETE FROM stat_minutes WHERE bucket < now() - ${MINUTES_KEPT}
        ), gauges AS (
          -- Those of 1970 are the latest look.
          DELETE FROM queue_gauges WHERE bucket < now() - ${MINUTES_KEPT} AND bucket > to_timestamp(0)
        )
        DELETE FROM stat_hours WHERE bucket < now() - ${HOURS_KEPT}`,
    });
  }
}
