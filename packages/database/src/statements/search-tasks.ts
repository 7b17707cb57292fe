import {
  CHUNK_METHOD,
  type ListedTask,
  type TaskPhase,
  type TaskSearch,
  type TaskSearchPlace,
} from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { firstId } from '../rows/first-id.ts';
import { LISTED_COLUMNS, ListedTaskRow, PHASE, toListedTask } from '../rows/listed-task.ts';
import { IS_ALIVE } from '../rows/open-task.ts';

/** Tasks that one page looks at: some 50 ms. With a text their arguments are read as well. */
const MOST_LOOKED_AT = 20_000;
const MOST_READ = 4_000;

/** Ids carry the clock of the API that made them, which may be off by so much. */
const SKEW_MS = 300_000;

const Edge = z.object({ id: taskIdColumn, created_at: z.date() });
const Count = z.object({ count: z.number() });

const ADMITTED_PHASES: ReadonlySet<TaskPhase> = new Set(['ready', 'running', 'input_required']);

/** Where a search reads: tasks before its conditions, newest first. */
interface Source {
  /** FROM and WHERE, of tasks called `t`. */
  readonly from: Prisma.Sql;
  readonly order: Prisma.Sql;
  readonly before: (place: TaskSearchPlace) => Prisma.Sql;
}

const BY_CREATION = {
  order: Prisma.sql`ORDER BY t.created_at DESC, t.id DESC`,
  before: ({ createdAt, id }: TaskSearchPlace): Prisma.Sql =>
    Prisma.sql`AND (t.created_at, t.id) < (${createdAt}::timestamptz, ${id}::uuid)`,
};

const BY_ID = {
  order: Prisma.sql`ORDER BY t.id DESC`,
  before: ({ id }: TaskSearchPlace): Prisma.Sql => Prisma.sql`AND t.id < ${id}::uuid`,
};

/** Few rows, which are read whole and then sorted: OFFSET keeps the order from choosing their index. */
const few = (which: Prisma.Sql): Source => ({
  from: Prisma.sql`FROM (SELECT t.* FROM tasks AS t WHERE ${which} OFFSET 0) AS t WHERE true`,
  ...BY_ID,
});

/**
 * The source with an index that serves it. Ids of clients' tasks begin with their time (UUID version 7), so the order of
 * ids is that of creation, and no index is kept for it.
 * - of an owner: tasks_owner_newest_idx, tasks with a handle only
 * - called by a task: tasks_called_idx
 * - failed: tasks_failed_idx
 * - ready, running or asking: tasks_enqueued_at_sweep_idx, all of it, which the window of the relay bounds
 * - all others: tasks_pkey, from the newest on
 */
function sourceOf(search: TaskSearch): Source {
  const { owner, parent, phases, createdAfter, createdBefore } = search;
  if (parent !== null) {
    const owned = owner === null ? Prisma.empty : Prisma.sql`AND t.principal_id = ${owner}::uuid`;
    return {
      from: Prisma.sql`FROM tasks AS t
        WHERE t.parent_task_id = ${parent}::uuid AND t.request_method <> 'longshore/chunk' ${owned}`,
      ...BY_CREATION,
    };
  }
  if (owner !== null) {
    return {
      from: Prisma.sql`FROM tasks AS t WHERE t.principal_id = ${owner}::uuid AND t.listed
        AND t.created_at >= ${createdAfter ?? EPOCH}::timestamptz
        AND t.created_at <= ${createdBefore ?? FAR}::timestamptz`,
      ...BY_CREATION,
    };
  }
  if (phases !== null && phases.length > 0 && phases.every((phase) => ADMITTED_PHASES.has(phase)))
    return few(
      Prisma.sql`t.finished_at IS NULL AND t.enqueued_at IS NOT NULL AND t.parent_task_id IS NULL`,
    );
  // Ids of what tasks start are not of version 7: but for a few they are behind those of today.
  const range = Prisma.sql`FROM tasks AS t WHERE
    t.id >= ${firstId(createdAfter ?? EPOCH, -SKEW_MS)}::uuid
    AND t.id < ${firstId(createdBefore ?? new Date(), SKEW_MS)}::uuid`;
  const failed = Prisma.sql`AND t.outcome_kind IN ('tool_error', 'error')`;
  return {
    from: phases?.length === 1 && phases[0] === 'failed' ? Prisma.sql`${range} ${failed}` : range,
    ...BY_ID,
  };
}

const EPOCH = new Date(0);
/** What 48 bits of milliseconds hold, and Postgres too. */
const FAR = new Date('9999-12-31T00:00:00.000Z');

/** What is asked of each task that is looked at. */
function conditions(search: TaskSearch): Prisma.Sql {
  const { phases, tools, queues, worker, createdAfter, createdBefore, text } = search;
  const part = text === null ? null : `%${text.replace(/[\\%_]/g, '\\$&')}%`;
  return Prisma.sql`
    ${IS_ALIVE} AND t.request_method <> ${CHUNK_METHOD}
    AND (${phases}::text[] IS NULL OR ${PHASE} = ANY (${phases}::text[]))
    AND (${tools}::text[] IS NULL OR t.tool_name = ANY (${tools}::text[]))
    AND (${queues}::text[] IS NULL OR t.queue = ANY (${queues}::text[]))
    AND (${worker}::uuid IS NULL OR t.claimed_by = ${worker}::uuid AND t.lease_expires_at > now())
    AND (${createdAfter}::timestamptz IS NULL OR t.created_at >= ${createdAfter}::timestamptz)
    AND (${createdBefore}::timestamptz IS NULL OR t.created_at <= ${createdBefore}::timestamptz)
    AND (${part}::text IS NULL OR t.status_message ILIKE ${part}::text OR t.arguments::text ILIKE ${part}::text)`;
}

const lookedAt = (search: TaskSearch): number =>
  search.text === null ? MOST_LOOKED_AT : MOST_READ;

/**
 * Finds tasks, newest first, among a bounded number from `after` on. Locks nothing. The index: `sourceOf`. The inner
 * LIMIT keeps the conditions out of the choice of the index, and stops the look where nothing fits.
 */
export async function searchTasks(
  runner: SqlRunner,
  search: TaskSearch,
  limit: number,
  after: TaskSearchPlace | null,
): Promise<ListedTask[]> {
  const { from, order, before } = sourceOf(search);
  const rows = await runner.run({
    name: 'search-tasks',
    row: ListedTaskRow,
    sql: Prisma.sql`
      SELECT ${LISTED_COLUMNS}
      FROM (
        SELECT t.* ${from} ${after === null ? Prisma.empty : before(after)}
        ${order} LIMIT ${lookedAt(search)}::int
      ) AS t LEFT JOIN auth_contexts AS p ON p.id = t.principal_id
      WHERE ${conditions(search)}
      ${order} LIMIT ${limit}::int`,
  });
  return rows.map(toListedTask);
}

/** The last task that `searchTasks` looked at, when there are more behind it; else null. */
export async function searchEdge(
  runner: SqlRunner,
  search: TaskSearch,
  after: TaskSearchPlace | null,
): Promise<TaskSearchPlace | null> {
  const { from, order, before } = sourceOf(search);
  const [row] = await runner.run({
    name: 'search-edge',
    row: Edge,
    sql: Prisma.sql`
      SELECT t.id, t.created_at ${from} ${after === null ? Prisma.empty : before(after)}
      ${order} OFFSET ${lookedAt(search) - 1}::int LIMIT 1`,
  });
  return row === undefined ? null : { id: row.id, createdAt: row.created_at };
}

/** Counts what `searchTasks` would find among as many of the newest tasks, up to `most`. */
export async function countTasks(
  runner: SqlRunner,
  search: TaskSearch,
  most: number,
): Promise<number> {
  const { from, order } = sourceOf(search);
  const [row] = await runner.run({
    name: 'count-tasks',
    row: Count,
    sql: Prisma.sql`
      SELECT count(*)::int AS count FROM (
        SELECT FROM (
          SELECT t.* ${from} ${order} LIMIT ${lookedAt(search)}::int
        ) AS t
        WHERE ${conditions(search)}
        LIMIT ${most}::int
      ) AS found`,
  });
  return row?.count ?? 0;
}
