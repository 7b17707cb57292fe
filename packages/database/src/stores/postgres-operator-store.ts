import type {
  BatchMap,
  ListedPrincipal,
  ListedSchedule,
  NamedPrincipal,
  OperatorStore,
  PrincipalId,
  QueueGauge,
  ScheduleId,
  ScheduleListPosition,
  SeenWorker,
  Stats,
  StatsWindow,
  TaskChanges,
  TaskFacts,
  TaskId,
  TaskSearch,
  TaskSearchPage,
  TaskSearchPlace,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn, workerIdColumn } from '../rows/columns.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { principalKindColumn } from '../rows/listed-task.ts';
import { SCHEDULE_COLUMNS, ScheduleRow } from '../rows/schedule-row.ts';
import { findTaskChanges } from '../statements/find-task-changes.ts';
import { readBatchMap } from '../statements/read-batch-map.ts';
import { readStats } from '../statements/read-stats.ts';
import { readTaskFacts } from '../statements/read-task-facts.ts';
import { countTasks, searchEdge, searchTasks } from '../statements/search-tasks.ts';

/** Open tasks of a principal are counted up to here. */
const MOST_OPEN = 1_000;

const OwnerRow = z.object({ principal_id: principalIdColumn });
const WorkerRow = z.object({
  id: workerIdColumn,
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  queues: z.array(z.string()),
  seats: z.number(),
  running: z.number(),
  started_at: z.date(),
  heartbeat_at: z.date(),
  is_silent: z.boolean(),
  is_draining: z.boolean(),
  tools: z.array(z.string()),
});
const PrincipalRow = z.object({
  id: principalIdColumn,
  kind: principalKindColumn,
  subject: z.string(),
  created_at: z.date(),
  open_tasks: z.number(),
});
const ListedScheduleRow = ScheduleRow.extend({ kind: principalKindColumn, subject: z.string() });
const Tools = z.record(z.string(), z.object({ ready: z.number(), oldestMs: z.number() }));

/** The rows of queue_gauges with the latest look. */
const LATEST = new Date(0);

export class PostgresOperatorStore implements OperatorStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async search(
    search: TaskSearch,
    limit: number,
    after: TaskSearchPlace | null,
  ): Promise<TaskSearchPage> {
    const found = await searchTasks(this.#runner, search, limit + 1, after);
    const tasks = found.slice(0, limit);
    if (found.length > limit) return { tasks, next: tasks.at(-1) ?? null, isCut: false };
    const edge = await searchEdge(this.#runner, search, after);
    return { tasks, next: edge, isCut: edge !== null };
  }

  async count(search: TaskSearch, most: number): Promise<{ count: number; isCapped: boolean }> {
    const count = await countTasks(this.#runner, search, most + 1);
    if (count > most) return { count: most, isCapped: true };
    return { count, isCapped: (await searchEdge(this.#runner, search, null)) !== null };
  }

  async ownerOf(id: TaskId): Promise<PrincipalId | null> {
    if (!isUuid(id)) return null;
    const [row] = await this.#runner.run({
      name: 'find-task-owner',
      row: OwnerRow,
      sql: Prisma.sql`SELECT principal_id FROM tasks WHERE id = ${id}::uuid`,
    });
    return row?.principal_id ?? null;
  }

  async facts(id: TaskId, owner: PrincipalId | null, events: number): Promise<TaskFacts | null> {
    return isUuid(id) ? readTaskFacts(this.#runner, id, owner, events) : null;
  }

  async batchMap(
    id: TaskId,
    owner: PrincipalId,
    key: string | null,
    mostCells: number,
  ): Promise<BatchMap | null> {
    return readBatchMap(this.#runner, id, owner, key, mostCells);
  }

  /** Index: tasks_enqueued_at_sweep_idx, which the window of the relay bounds, for what each has now. */
  async workers(): Promise<readonly SeenWorker[]> {
    const rows = await this.#runner.run({
      name: 'list-workers',
      row: WorkerRow,
      sql: Prisma.sql`
        WITH held AS MATERIALIZED (
          SELECT t.claimed_by, count(*)::int AS n FROM tasks AS t
          WHERE t.finished_at IS NULL AND t.enqueued_at IS NOT NULL AND t.claimed_by IS NOT NULL
            AND t.lease_expires_at > now()
          GROUP BY 1
        )
        SELECT w.id, w.host, w.pid, w.version, w.queues, w.concurrency AS seats, coalesce(h.n, 0) AS running,
          w.started_at, w.heartbeat_at,
          w.heartbeat_at <= now() - w.lease_ms * interval '1 ms' AS is_silent, w.drain_at IS NOT NULL AS is_draining,
          ARRAY(SELECT e.name FROM catalogue_entries AS e
                WHERE e.worker_id = w.id AND e.kind = 'tool' ORDER BY e.name) AS tools
        FROM workers AS w LEFT JOIN held AS h ON h.claimed_by = w.id
        ORDER BY w.started_at DESC, w.id
        LIMIT 1000`,
    });
    return rows.map((row) => ({
      id: row.id,
      host: row.host,
      pid: row.pid,
      version: row.version,
      queues: row.queues,
      seats: row.seats,
      running: row.running,
      startedAt: row.started_at,
      heartbeatAt: row.heartbeat_at,
      isSilent: row.is_silent,
      isDraining: row.is_draining,
      tools: row.tools,
    }));
  }

  async gauges(): Promise<readonly QueueGauge[]> {
    const rows = await this.#runner.ask('list-queue-gauges', (prisma) =>
      prisma.queueGauge.findMany({ where: { bucket: LATEST }, orderBy: { queue: 'asc' } }),
    );
    return rows.map(({ bucket: _, tools, ...gauge }) => ({ ...gauge, tools: Tools.parse(tools) }));
  }

  async stats(window: StatsWindow): Promise<Stats> {
    return readStats(this.#runner, window);
  }

  async changes(since: Date, owner: PrincipalId | null): Promise<TaskChanges> {
    return findTaskChanges(this.#runner, since, owner);
  }

  async principal(id: PrincipalId): Promise<NamedPrincipal | null> {
    const found = await this.#runner.ask('find-principal', (prisma) =>
      prisma.authContext.findUnique({ where: { id } }),
    );
    if (found === null) return null;
    return { id, kind: principalKindColumn.parse(found.kind), subject: found.subject };
  }

  /** Indexes: auth_contexts_newest_idx; tasks_principal_id_open_idx, 1,000 entries of each at most. */
  async principals(
    limit: number,
    after: { readonly createdAt: Date; readonly id: PrincipalId } | null,
  ): Promise<readonly ListedPrincipal[]> {
    const rows = await this.#runner.run({
      name: 'list-principals',
      row: PrincipalRow,
      sql: Prisma.sql`
        SELECT p.id, p.kind, p.subject, p.created_at,
          (SELECT count(*)::int FROM (
             SELECT FROM tasks AS t
             WHERE t.principal_id = p.id AND t.finished_at IS NULL AND t.parent_task_id IS NULL
             LIMIT ${MOST_OPEN}::int
           ) AS open) AS open_tasks
        FROM auth_contexts AS p
        WHERE (p.created_at, p.id) < (${after?.createdAt ?? FAR}::timestamptz, ${after?.id ?? LAST_ID}::uuid)
        ORDER BY p.created_at DESC, p.id DESC
        LIMIT ${limit}::int`,
    });
    return rows.map(({ created_at: createdAt, open_tasks: openTasks, ...row }) => ({
      ...row,
      createdAt,
      openTasks,
    }));
  }

  /** Index: schedules_newest_idx. */
  async schedules(
    limit: number,
    after: ScheduleListPosition | null,
  ): Promise<readonly ListedSchedule[]> {
    const rows = await this.#runner.run({
      name: 'list-all-schedules',
      row: ListedScheduleRow,
      sql: Prisma.sql`
        SELECT ${SCHEDULE_COLUMNS}, p.kind, p.subject
        FROM schedules AS s JOIN auth_contexts AS p ON p.id = s.principal_id
        WHERE (s.created_at, s.id) < (${after?.createdAt ?? FAR}::timestamptz, ${after?.id ?? LAST_ID}::uuid)
        ORDER BY s.created_at DESC, s.id DESC
        LIMIT ${limit}::int`,
    });
    return rows.map(({ kind, subject, ...schedule }) => ({
      ...schedule,
      principal: { id: schedule.principalId, kind, subject },
    }));
  }

  async scheduleOwner(id: ScheduleId): Promise<PrincipalId | null> {
    const found = await this.#runner.ask('find-schedule-owner', (prisma) =>
      prisma.schedule.findUnique({ where: { id }, select: { principalId: true } }),
    );
    return found === null ? null : principalIdColumn.parse(found.principalId);
  }
}

/** Behind everything. */
const FAR = new Date('9999-12-31T00:00:00.000Z');
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
