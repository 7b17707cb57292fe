import type { QueueLoad } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { IS_WAITING_FOR_WORKER } from '../rows/open-task.ts';

const Row = z.object({ waiting: z.number(), seats: z.number() });

/** A worker silent for longer has no seats: beyond any lease one would choose for a busy fleet. */
const WORKER_GONE_MS = 60_000;

/**
 * Counts the tasks of a queue whose jobs wait for a worker, up to `most`, and the tasks that all workers
 * together can run of it at once. Locks nothing.
 *
 * Indexes: tasks_admitted_idx, which reads past the running tasks of the queue, so as many entries as wait and
 * run; workers_heartbeat_at_idx.
 */
export async function readQueueLoad(
  runner: SqlRunner,
  queue: string,
  most: number,
): Promise<QueueLoad> {
  const [row] = await runner.run({
    name: 'read-queue-load',
    row: Row,
    sql: Prisma.sql`
      SELECT
        (SELECT count(*)::int FROM (
           SELECT FROM tasks AS t
           WHERE t.queue = ${queue}::text AND ${IS_WAITING_FOR_WORKER}
           LIMIT ${most}::int) AS w) AS waiting,
        (SELECT coalesce(sum(w.concurrency), 0)::int FROM workers AS w
         WHERE w.heartbeat_at > now() - ${WORKER_GONE_MS}::float8 * interval '1 ms'
           AND ${queue}::text = ANY (w.queues) AND w.drain_at IS NULL) AS seats`,
  });
  return row ?? { waiting: 0, seats: 0 };
}
