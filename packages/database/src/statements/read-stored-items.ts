import type { BatchId, PrincipalId, StoredItem, StoredItems, TaskId } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { OUTCOME_PLACE } from '../rows/outcome-place.ts';
import { OWNED_BATCH } from '../rows/owned-batch.ts';

const Row = z.object({
  items: z.custom<readonly StoredItem[]>(Array.isArray),
  next: z.number().nullable(),
});

/** A chunk has half a MiB of items, and one more of its last. */
const CHUNKS = 8;

/**
 * Reads items of a batch that failed, or also those that were never run, for the owner of its task: those of
 * some chunks from a position on, in order. Locks nothing.
 *
 * Indexes: tasks_pkey, batches_pkey; for failures batch_chunks_batch_id_position_failed_idx, else
 * batch_chunks_pkey past the chunks that are done.
 *
 * @returns null when batch or task are unknown, expired or somebody else's
 */
export async function readStoredItems(
  runner: SqlRunner,
  input: {
    readonly taskId: TaskId;
    readonly owner: PrincipalId;
    readonly batchId: BatchId;
    readonly withSkipped: boolean;
    readonly position: number;
  },
): Promise<StoredItems | null> {
  const { taskId, owner, batchId, withSkipped, position } = input;
  const chunks = withSkipped ? Prisma.sql`c.done < c.size` : Prisma.sql`c.failed > 0`;
  const [row] = await runner.run({
    name: 'read-stored-items',
    row: Row,
    sql: Prisma.sql`
      WITH ${OWNED_BATCH(taskId, owner, batchId)}, chunk AS MATERIALIZED (
        SELECT c.position, c.first_item, c.source_indexes, c.items, c.outcomes
        FROM batch AS b CROSS JOIN LATERAL (
          SELECT c.* FROM batch_chunks AS c
          WHERE c.batch_id = b.id AND c.position >= ${position}::int AND ${chunks}
          ORDER BY c.batch_id, c.position
          LIMIT ${CHUNKS}::int
        ) AS c
      ), outcome AS MATERIALIZED (
        SELECT c.position, ${OUTCOME_PLACE} AS place, json_array_length(o.value) = 4 AS is_failure
        FROM chunk AS c
        CROSS JOIN LATERAL unnest(c.outcomes) AS s (save)
        CROSS JOIN LATERAL json_array_elements(s.save) AS o (value)
      ), item AS (
        SELECT c.position, i.number,
          coalesce(c.source_indexes[i.number::int], c.first_item + i.number::int - 1) AS index, i.item
        FROM chunk AS c
        CROSS JOIN LATERAL json_array_elements(c.items) WITH ORDINALITY AS i (item, number)
        LEFT JOIN outcome AS o ON o.position = c.position AND o.place = i.number - 1
        WHERE coalesce(o.is_failure, ${withSkipped})
      )
      SELECT
        coalesce(
          (SELECT json_agg(json_build_array(i.index, i.item) ORDER BY i.position, i.number) FROM item AS i),
          '[]'
        ) AS items,
        (SELECT CASE WHEN count(*) = ${CHUNKS}::int THEN max(c.position) + 1 END FROM chunk AS c) AS next
      FROM batch`,
  });
  return row ?? null;
}
