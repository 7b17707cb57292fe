import { Prisma } from '../generated/client.ts';

/** Bits of `tasks.pruned`: what of an ended task has been deleted. */
export const PRUNED = { events: 1, results: 2 } as const;

/**
 * Ended tasks `t`, ended at least `ageMs` milliseconds ago, that still have the part; at most `limit`. Locked, and
 * those that others hold are skipped. Index: tasks_pruned_finished_at_idx, which only ended tasks with something
 * to prune are in; two ranges of it, `limit` entries.
 */
export const pickUnpruned = (
  part: keyof typeof PRUNED,
  ageMs: number,
  limit: number,
): Prisma.Sql => Prisma.sql`
  SELECT t.id FROM tasks AS t
  WHERE t.pruned = ANY (${[0, 3 - PRUNED[part]]}::smallint[]) AND t.pruned < 3
    AND t.finished_at IS NOT NULL AND t.finished_at <= now() - ${ageMs}::float8 * interval '1 ms'
  LIMIT ${limit}::int
  FOR NO KEY UPDATE SKIP LOCKED`;

/** SET clause: the part has gone. */
export const setPruned = (part: keyof typeof PRUNED): Prisma.Sql =>
  Prisma.sql`pruned = t.pruned | ${PRUNED[part]}::smallint`;
