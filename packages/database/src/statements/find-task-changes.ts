import { CHUNK_METHOD, type PrincipalId, TASK_PHASES, type TaskChanges } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { firstId } from '../rows/first-id.ts';
import { PHASE } from '../rows/listed-task.ts';
import { toProgress } from '../rows/task-row.ts';

/** Changes that one look tells of, of each kind. */
const MOST_CHANGES = 200;
const MOST_CREATED = 1_000;
/** Clocks of APIs, which are in the ids of tasks, may differ by so much. */
const SKEW_MS = 60_000;
/** A row has the time at which its transaction began, and is seen when that commits: later than this hardly ever. */
const LATE_MS = 2_000;

const Row = z.object({
  now: z.date(),
  created: z.array(taskIdColumn),
  changed: z.array(
    z.object({
      id: taskIdColumn,
      phase: z.enum(TASK_PHASES),
      progress: z.number().nullable(),
      progress_total: z.number().nullable(),
      progress_message: z.string().nullable(),
      updated_at: z.coerce.date(),
    }),
  ),
});

/**
 * Reads which tasks were made since, and what has become of those that ended or moved. Locks nothing. Indexes: tasks_pkey
 * for what was created, whose ids begin with their time; tasks_pruned_finished_at_idx for what ended; tasks_enqueued_at_sweep_idx,
 * which the window of the relay bounds, for what moved. An id has the clock of its API, so ids are read from a little before, and
 * what counts is the time of the row. As rows come to be seen late, each is told by all looks of two seconds.
 *
 * @param owner null: of anybody
 */
export async function findTaskChanges(
  runner: SqlRunner,
  since: Date,
  owner: PrincipalId | null,
): Promise<TaskChanges> {
  const late = Prisma.sql`${LATE_MS}::int * interval '1 ms'`;
  const isTheirs = Prisma.sql`(${owner}::uuid IS NULL OR t.principal_id = ${owner}::uuid AND t.listed)
    AND t.request_method <> ${CHUNK_METHOD}`;
  const columns = Prisma.sql`t.id, ${PHASE} AS phase, t.progress, t.progress_total, t.progress_message, t.updated_at`;
  const [row] = await runner.run({
    name: 'find-task-changes',
    row: Row,
    sql: Prisma.sql`
      WITH created AS MATERIALIZED (
        SELECT t.id FROM tasks AS t
        WHERE t.id >= ${firstId(since, -SKEW_MS - LATE_MS)}::uuid AND t.id < ${firstId(new Date(), SKEW_MS)}::uuid
          AND t.created_at > ${since}::timestamptz - ${late} AND ${isTheirs}
        ORDER BY t.id DESC LIMIT ${MOST_CREATED}::int
      ), ended AS MATERIALIZED (
        SELECT ${columns} FROM tasks AS t
        WHERE t.pruned = 0 AND t.pruned < 3 AND t.finished_at IS NOT NULL AND t.finished_at > ${since}::timestamptz - ${late}
          AND ${isTheirs}
        ORDER BY t.finished_at DESC LIMIT ${MOST_CHANGES}::int
      ), moved AS MATERIALIZED (
        SELECT ${columns} FROM (
          SELECT * FROM tasks AS t WHERE t.finished_at IS NULL AND t.enqueued_at IS NOT NULL OFFSET 0
        ) AS t
        WHERE t.updated_at > ${since}::timestamptz - ${late} AND ${isTheirs}
        ORDER BY t.updated_at DESC LIMIT ${MOST_CHANGES}::int
      )
      SELECT now()::timestamptz(3) AS now, coalesce((SELECT json_agg(id) FROM created), '[]') AS created,
        coalesce((
          SELECT json_agg(c ORDER BY c.updated_at DESC) FROM (
            SELECT * FROM (SELECT * FROM ended UNION ALL SELECT * FROM moved) AS c
            ORDER BY c.updated_at DESC LIMIT ${MOST_CHANGES}::int
          ) AS c
        ), '[]') AS changed`,
  });
  if (row === undefined) throw new Error('find-task-changes returned no row');
  return {
    now: row.now,
    created: row.created,
    changed: row.changed.map((task) => ({
      id: task.id,
      phase: task.phase,
      progress: toProgress(task),
      updatedAt: task.updated_at,
    })),
  };
}
