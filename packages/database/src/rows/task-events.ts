import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { jsonObjectColumn } from './columns.ts';

const Event = z.object({
  kind: z.string(),
  attempt: z.number().nullable(),
  data: jsonObjectColumn.nullable(),
  at: z.coerce.date(),
});

/** Of `taskEvents`. */
export const taskEventsColumn = z
  .array(Event)
  .nullable()
  .transform((events) => events ?? []);

/** The latest events of `tasks AS t`, oldest first. Index: task_events_pkey from the end. */
export const taskEvents = (limit: number): Prisma.Sql => Prisma.sql`(
  SELECT json_agg(
    json_build_object('kind', e.kind, 'attempt', e.attempt, 'data', e.data, 'at', e.created_at)
    ORDER BY e.id
  )
  FROM (
    SELECT * FROM task_events AS e WHERE e.task_id = t.id ORDER BY e.id DESC LIMIT ${limit}::int
  ) AS e
)`;
