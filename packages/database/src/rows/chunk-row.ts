import type { ChunkOutcomes, ChunkState, ItemOutcome } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from './columns.ts';

/** What `ChunkOutcomes` are made of, for a table called `c`. */
export const CHUNK_OUTCOMES = Prisma.sql`c.position, c.first_item, c.size, c.source_indexes, c.outcomes`;

/**
 * Which item of its chunk an outcome `o.value` is of: what it begins with, `[12,`. By its text, for Postgres picks nothing out of
 * a json that has a NUL somewhere.
 */
export const OUTCOME_PLACE = Prisma.sql`split_part(substring(o.value::text FROM 2 FOR 12), ',', 1)::int`;

/** The outcomes are as we wrote them, and too many to look at each. */
export const ChunkOutcomesRow = z.object({
  position: z.number(),
  first_item: z.number(),
  size: z.number(),
  source_indexes: z.array(z.number()),
  outcomes: z.array(z.custom<readonly ItemOutcome[]>(Array.isArray)),
});

export function toChunkOutcomes(row: z.infer<typeof ChunkOutcomesRow>): ChunkOutcomes {
  return {
    position: row.position,
    firstItem: row.first_item,
    size: row.size,
    sourceIndexes: row.source_indexes,
    outcomes: row.outcomes.flat(1),
  };
}

/** What a `ChunkState` is made of, for a chunk `c` and the task `t` that runs it, if any. */
export const CHUNK_STATE = Prisma.sql`
  c.position, c.task_id, c.first_item, c.size, c.done, c.failed, t.status_message,
  pg_column_size(c.outcomes) AS bytes,
  c.task_id IS NOT NULL AND (t.id IS NULL OR t.finished_at IS NOT NULL) AS is_ended,
  CASE WHEN t.outcome_kind = 'result'
    THEN (1000 * extract(epoch FROM t.finished_at - t.started_at))::float8 END AS ran_ms`;

export const ChunkStateRow = z.object({
  position: z.number(),
  task_id: taskIdColumn.nullable(),
  first_item: z.number(),
  size: z.number(),
  done: z.number(),
  failed: z.number(),
  is_ended: z.boolean(),
  status_message: z.string().nullable(),
  ran_ms: z.number().nullable(),
  bytes: z.number(),
});

export function toChunkState(row: z.infer<typeof ChunkStateRow>): ChunkState {
  return {
    position: row.position,
    taskId: row.task_id,
    firstItem: row.first_item,
    size: row.size,
    done: row.done,
    failed: row.failed,
    isEnded: row.is_ended,
    statusMessage: row.status_message,
    ranMs: row.ran_ms,
    bytes: row.bytes,
  };
}
