import type {
  BatchId,
  ItemPlace,
  ItemSlice,
  ItemStatus,
  PrincipalId,
  ReadItem,
  SliceLimits,
  TaskId,
} from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { OUTCOME_PLACE } from '../rows/outcome-place.ts';
import { OWNED_BATCH } from '../rows/owned-batch.ts';

const Row = z.object({
  items: z.custom<readonly ReadItem[]>(Array.isArray),
  cut: z.tuple([z.number(), z.number()]).nullable(),
  unread: z.number().nullable(),
  unseen: z.number().nullable(),
});

/** Chunks whose counts are looked at. */
const MOST_CHUNKS = 200;

/** No item takes fewer bytes than this one, `[0,1,null]`. */
const LEAST_BYTES = 10;

interface Wanted {
  /** Chunks that are worth looking at. That of failures is the one of the partial index. */
  readonly chunks: Prisma.Sql;
  /** Items that a chunk `c` has of them. */
  readonly count: Prisma.Sql;
  /** Outcomes `o.value`: only a failure has a fourth member. */
  readonly outcomes: Prisma.Sql;
}

const WANTED: Readonly<Record<ItemStatus, Wanted>> = {
  all: {
    chunks: Prisma.sql`true`,
    count: Prisma.sql`c.done + c.failed`,
    outcomes: Prisma.sql`true`,
  },
  done: {
    chunks: Prisma.sql`true`,
    count: Prisma.sql`c.done`,
    outcomes: Prisma.sql`json_array_length(o.value) < 4`,
  },
  failed: {
    chunks: Prisma.sql`c.failed > 0`,
    count: Prisma.sql`c.failed`,
    outcomes: Prisma.sql`json_array_length(o.value) = 4`,
  },
};

/**
 * Reads what came of items of a batch, in order, for the owner of its task. Locks nothing.
 *
 * What it costs does not depend on the size of the batch: it looks at the counts of 200 chunks at most, from
 * the place on, and unpacks as many of them as may fill the slice. Indexes: tasks_pkey, batches_pkey;
 * batch_chunks_pkey, for failures batch_chunks_batch_id_position_failed_idx; a probe per unpacked chunk.
 *
 * @returns null when batch or task are unknown, expired or somebody else's
 */
export async function readItems(
  runner: SqlRunner,
  input: {
    readonly taskId: TaskId;
    readonly owner: PrincipalId;
    readonly batchId: BatchId;
    readonly status: ItemStatus;
    readonly from: ItemPlace;
    readonly limits: SliceLimits;
  },
): Promise<ItemSlice | null> {
  const { taskId, owner, batchId, from, limits } = input;
  const { chunks, count, outcomes } = WANTED[input.status];
  const { bytes, overheadBytes } = limits;
  const mostItems = Math.ceil(bytes / (LEAST_BYTES + overheadBytes));
  const mostChunks = Math.max(1, Math.min(MOST_CHUNKS, mostItems));
  const [row] = await runner.run({
    name: 'read-items',
    row: Row,
    sql: Prisma.sql`
      WITH ${OWNED_BATCH(taskId, owner, batchId)}, seen AS MATERIALIZED (
        SELECT c.position, c.items
        FROM batch AS b CROSS JOIN LATERAL (
          SELECT c.position, ${count} AS items FROM batch_chunks AS c
          WHERE c.batch_id = b.id AND c.position >= ${from.position}::int AND ${chunks}
          ORDER BY c.batch_id, c.position
          LIMIT ${mostChunks}::int
        ) AS c
      ), counted AS MATERIALIZED (
        SELECT s.position, sum(s.items) OVER (ORDER BY s.position) - s.items AS before
        FROM seen AS s WHERE s.items > 0
      ), item AS (
        SELECT c.position, ${OUTCOME_PLACE} AS place, o.value,
          coalesce(c.source_indexes[${OUTCOME_PLACE} + 1], c.first_item + ${OUTCOME_PLACE}) AS index
        FROM counted AS n CROSS JOIN LATERAL (
          SELECT c.position, c.first_item, c.source_indexes, c.outcomes FROM batch_chunks AS c
          WHERE c.batch_id = ${batchId}::uuid AND c.position = n.position
          OFFSET 0
        ) AS c
        CROSS JOIN LATERAL unnest(c.outcomes) AS s (save)
        CROSS JOIN LATERAL json_array_elements(s.save) AS o (value)
        WHERE n.before < ${mostItems}::int AND ${outcomes}
          AND (c.position > ${from.position}::int OR ${OUTCOME_PLACE} >= ${from.offset}::int)
      ), sized AS MATERIALIZED (
        SELECT i.position, i.place, i.index, i.value,
          sum(octet_length(i.value::text) + ${overheadBytes}::int) OVER (
            ORDER BY i.position, i.place ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
          ) AS upto,
          row_number() OVER (ORDER BY i.position, i.place) AS number
        FROM item AS i
      )
      SELECT
        coalesce(
          (SELECT json_agg(json_build_array(s.index, s.value) ORDER BY s.position, s.place)
            FROM sized AS s WHERE s.upto <= ${bytes}::int OR s.number = 1),
          '[]'
        ) AS items,
        (SELECT json_build_array(s.position, s.place)
          FROM sized AS s WHERE s.upto > ${bytes}::int AND s.number > 1
          ORDER BY s.position, s.place LIMIT 1) AS cut,
        (SELECT min(n.position) FROM counted AS n WHERE n.before >= ${mostItems}::int) AS unread,
        (SELECT CASE WHEN count(*) = ${mostChunks}::int THEN max(s.position) + 1 END FROM seen AS s) AS unseen
      FROM batch`,
  });
  if (row === undefined) return null;
  const { items, cut, unread, unseen } = row;
  if (cut !== null) return { items, next: { position: cut[0], offset: cut[1] } };
  const position = unread ?? unseen;
  return { items, next: position === null ? null : { position, offset: 0 } };
}
