import type { AdmittedJob } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { AdmittedRow, toAdmittedJob } from '../rows/admitted-row.ts';
import { IS_ALIVE, IS_BACKLOG, IS_WAITING_FOR_WORKER } from '../rows/open-task.ts';
import { takenSlots } from '../rows/slot-key.ts';

export interface AdmitTasksInput {
  readonly queue: string;
  /** Jobs that fit before the queue is as deep as it should be; less than 1: none. */
  readonly room: number;
  /** Most tasks to take. */
  readonly limit: number;
  /** Tools of which none is taken. */
  readonly pausedTools?: readonly string[];
  /** Any UUID, such as a random one: principals from it on are looked at first. */
  readonly startAt: string;
}

/** Principals, or their lanes, that one call looks at; more have their turn with a later `startAt`. */
const MAX_GROUPS = 500;

/** Stands for "no limit". */
const ANY = Prisma.sql`1000000000`;

/**
 * Marks waiting tasks of a queue as enqueued, by turns: the first task of every principal that has no job
 * waiting for a worker, whether or not there is room, then the second of each, and so on while there is; of
 * one turn the oldest first, of one principal the oldest first. Tasks whose limit is reached stay where they
 * are, and those behind them that have other limits do not wait for them; those of a paused tool are read over.
 *
 * Each principal is read as far as an equal share of the room: when some have less waiting, room is left, which
 * another call fills.
 *
 * The caller holds the queue's lock (lockAdmission) since an earlier statement. Locks the rows it takes and
 * skips those that others hold. Indexes: tasks_backlog_idx, in which it leaps from one principal's lane to the
 * next, and of each reads its share of the room; tasks_admitted_idx or tasks_enqueued_at_sweep_idx, once, for
 * what each has waiting already, past what runs; for those with limits task_slots_pkey. So the cost grows with
 * the principals that wait, up to 500, and with the window, and not with how much waits behind it.
 *
 * @returns in the order of the turns
 */
export async function admitTasks(
  runner: SqlRunner,
  input: AdmitTasksInput,
): Promise<AdmittedJob[]> {
  const { queue, room, limit, startAt, pausedTools = [] } = input;
  const started =
    pausedTools.length === 0
      ? Prisma.empty
      : Prisma.sql`AND t.tool_name <> ALL (${pausedTools}::text[])`;
  const backlog = Prisma.sql`t.queue = ${queue}::text AND ${IS_BACKLOG}`;
  const oneGroup = Prisma.sql`ORDER BY t.principal_id, t.lane LIMIT 1`;
  const leap = (name: Prisma.Sql, from: Prisma.Sql): Prisma.Sql => Prisma.sql`
    ${name} AS (
      SELECT h.principal_id, h.lane, 1 AS n FROM (
        SELECT t.principal_id, t.lane FROM tasks AS t WHERE ${backlog} AND ${from} ${oneGroup}) AS h
      UNION ALL
      SELECT h.principal_id, h.lane, g.n + 1 FROM ${name} AS g CROSS JOIN LATERAL (
        SELECT t.principal_id, t.lane FROM tasks AS t
        WHERE ${backlog} AND ${from} AND (t.principal_id, t.lane) > (g.principal_id, g.lane)
        ${oneGroup}) AS h
      WHERE g.n < ${MAX_GROUPS}::int
    )`;
  const rows = await runner.run({
    name: 'admit-tasks',
    row: AdmittedRow,
    sql: Prisma.sql`
      WITH RECURSIVE
      ${leap(Prisma.sql`late`, Prisma.sql`t.principal_id >= ${startAt}::uuid`)},
      ${leap(Prisma.sql`early`, Prisma.sql`t.principal_id < ${startAt}::uuid`)},
      groups AS MATERIALIZED (
        SELECT g.principal_id, g.lane, greatest(1, ceil(${room}::float8 / count(*) OVER ()))::int AS share
        FROM (SELECT * FROM late UNION ALL SELECT * FROM early LIMIT ${MAX_GROUPS}::int) AS g
      ), waits AS MATERIALIZED (
        SELECT t.principal_id, t.lane, count(*)::int AS n FROM tasks AS t
        WHERE t.queue = ${queue}::text AND ${IS_WAITING_FOR_WORKER}
        GROUP BY t.principal_id, t.lane
      ), sums AS MATERIALIZED (
        SELECT
          (SELECT jsonb_object_agg(p.principal_id, p.n) FROM (
             SELECT principal_id, sum(n) AS n FROM waits GROUP BY principal_id) AS p) AS by_principal,
          (SELECT jsonb_object_agg(l.lane, l.n) FROM (
             SELECT lane, sum(n) AS n FROM waits GROUP BY lane) AS l) AS by_lane,
          (SELECT coalesce(sum(n), 0)::int FROM waits) AS total
      ), lots AS MATERIALIZED (
        SELECT g.principal_id, g.lane, g.share, w.waiting,
          CASE WHEN h.principal_limit IS NULL THEN ${ANY} ELSE
            h.principal_limit - w.waiting - ${takenSlots(Prisma.sql`'principal:' || g.principal_id`)}
          END AS principal_room,
          CASE WHEN h.tool_limit IS NULL THEN ${ANY} ELSE
            h.tool_limit - ${takenSlots(Prisma.sql`'tool:' || g.lane`)}
              - coalesce((sums.by_lane ->> g.lane)::int, 0)
          END AS lane_room,
          CASE WHEN h.queue_limit IS NULL THEN ${ANY} ELSE
            h.queue_limit - ${takenSlots(Prisma.sql`'queue:' || ${queue}::text`)} - sums.total
          END AS queue_room
        FROM sums CROSS JOIN groups AS g
        CROSS JOIN LATERAL (
          SELECT t.principal_limit, t.tool_limit, t.queue_limit FROM tasks AS t
          WHERE ${backlog} AND t.principal_id = g.principal_id AND t.lane = g.lane
          ORDER BY t.created_at LIMIT 1
        ) AS h
        CROSS JOIN LATERAL (
          SELECT coalesce((sums.by_principal ->> g.principal_id::text)::int, 0) AS waiting
        ) AS w
      ), candidates AS (
        SELECT c.id, c.created_at, l.lane, l.principal_room, l.lane_room, l.queue_room, l.waiting,
          l.waiting + row_number() OVER (PARTITION BY l.principal_id ORDER BY c.created_at, c.id) AS turn
        FROM lots AS l CROSS JOIN LATERAL (
          SELECT t.id, t.created_at FROM tasks AS t
          WHERE ${backlog} AND t.principal_id = l.principal_id AND t.lane = l.lane AND ${IS_ALIVE} ${started}
          ORDER BY t.created_at
          LIMIT greatest(0, least(l.share, l.principal_room, l.lane_room, l.queue_room))
        ) AS c
      ), placed AS (
        SELECT id, turn, lane_room, queue_room,
          row_number() OVER (ORDER BY turn, created_at, id) AS place,
          row_number() OVER (PARTITION BY lane ORDER BY turn, created_at, id) AS lane_place
        FROM candidates WHERE turn - waiting <= principal_room
      ), picked AS MATERIALIZED (
        SELECT t.id, p.place FROM (
          SELECT id, place FROM placed
          WHERE (place <= ${room}::int OR turn = 1) AND lane_place <= lane_room AND place <= queue_room
          ORDER BY place LIMIT ${limit}::int
        ) AS p JOIN tasks AS t ON t.id = p.id
        WHERE ${IS_BACKLOG}
        FOR NO KEY UPDATE OF t SKIP LOCKED
      ), admitted AS (
        UPDATE tasks AS t SET enqueued_at = now(), run_after = CASE WHEN t.run_after > now() THEN t.run_after END
        FROM picked WHERE t.id = picked.id
        RETURNING t.id, t.queue, picked.place
      )
      SELECT id, queue FROM admitted ORDER BY place`,
  });
  return rows.map(toAdmittedJob);
}
