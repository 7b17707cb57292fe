import pg from 'pg';
import * as z from 'zod';
import type { EventRow, Evidence, TaskRow } from '../check/evidence.ts';

/** What the checker reads of the database, past all links. */
export interface DatabaseReader {
  /** Tasks that have not ended, and those whose ttl is over and which are still there. */
  unsettled(): Promise<number>;
  read(): Promise<Pick<Evidence, 'rows' | 'events' | 'orphans'>>;
  /** Connections but our own. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

const Count = z.object({ count: z.coerce.number() });

const Row = z.object({
  id: z.string(),
  subject: z.string().nullable(),
  state: z.string(),
  outcome_kind: z.string().nullable(),
  attempt: z.number(),
  failures: z.number(),
  lost: z.number(),
  max_attempts: z.number(),
  finished_at: z.date().nullable(),
  has_result: z.boolean(),
  tool_name: z.string(),
  value: z.coerce.number().nullable(),
});

const Event = z.object({
  task_id: z.string(),
  kind: z.string(),
  attempt: z.number().nullable(),
  data: z.record(z.string(), z.unknown()).nullable(),
});

const Orphan = z.object({ table: z.string(), task_id: z.string() });

/** @param url of the server itself; a new reader after each restart */
export function readDatabase(url: string): DatabaseReader {
  const pool = new pg.Pool({ connectionString: url, max: 2, application_name: 'chaos' });
  pool.on('error', () => {});
  const all = async <T>(row: z.ZodType<T>, sql: string): Promise<T[]> =>
    z.array(row).parse((await pool.query(sql)).rows);
  const count = async (sql: string): Promise<number> => (await all(Count, sql))[0]?.count ?? 0;
  return {
    unsettled: () =>
      count('SELECT count(*) FROM tasks WHERE finished_at IS NULL OR expires_at <= now()'),
    read: async () => {
      const rows = await all(
        Row,
        `SELECT t.id, c.subject, t.state, t.outcome_kind, t.attempt, t.failures, t.lost, t.max_attempts,
           t.finished_at, t.tool_name, t.arguments ->> 'value' AS value, EXISTS (SELECT FROM task_results AS r WHERE r.task_id = t.id) AS has_result
         FROM tasks AS t LEFT JOIN auth_contexts AS c ON c.id = t.principal_id`,
      );
      const events = await all(
        Event,
        'SELECT task_id, kind, attempt, data FROM task_events ORDER BY task_id, id',
      );
      const orphans = await all(
        Orphan,
        `SELECT 'task_results' AS table, task_id FROM task_results
           WHERE NOT EXISTS (SELECT FROM tasks WHERE id = task_id)
         UNION ALL SELECT 'task_checkpoints', task_id FROM task_checkpoints
           WHERE NOT EXISTS (SELECT FROM tasks WHERE id = task_id)
         UNION ALL SELECT 'input_requests', task_id FROM input_requests
           WHERE NOT EXISTS (SELECT FROM tasks WHERE id = task_id)`,
      );
      return {
        rows: rows.map(toTaskRow),
        events: events.map(
          ({ task_id: taskId, kind, attempt, data }): EventRow => ({
            taskId,
            kind,
            attempt,
            data: data ?? {},
          }),
        ),
        orphans: orphans.map(({ table, task_id: taskId }) => ({ table, taskId })),
      };
    },
    connections: () =>
      count(
        `SELECT count(*) FROM pg_stat_activity
         WHERE backend_type = 'client backend' AND application_name <> 'chaos'`,
      ),
    close: () => pool.end(),
  };
}

function toTaskRow(row: z.infer<typeof Row>): TaskRow {
  const principal = /^chaos-(\d+)$/.exec(row.subject ?? '')?.[1];
  return {
    id: row.id,
    principal: principal === undefined ? null : Number(principal),
    state: row.state,
    outcomeKind: row.outcome_kind,
    attempt: row.attempt,
    failures: row.failures,
    lost: row.lost,
    maxAttempts: row.max_attempts,
    finishedAtMs: row.finished_at?.getTime() ?? null,
    hasResult: row.has_result,
    tool: row.tool_name,
    value: row.value,
  };
}
