import type {
  BatchId,
  BatchProgress,
  BatchState,
  BatchStore,
  ChunkContent,
  ChunkOutcomes,
  ChunkProgress,
  ChunkState,
  EndedTask,
  Fence,
  ItemOutcome,
  JsonValue,
  NewChild,
  NewChunks,
  Outcome,
  TaskId,
} from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { taskIdColumn } from '../rows/columns.ts';
import { toOutcome } from '../rows/outcome-row.ts';
import { cancelDescendants } from '../statements/cancel-descendants.ts';
import { openBatch } from '../statements/open-batch.ts';
import { saveOutcomes } from '../statements/save-outcomes.ts';
import { startChild } from '../statements/start-child.ts';
import { stopBatch } from '../statements/stop-batch.ts';
import { storeChunks } from '../statements/store-chunks.ts';

/** The outcomes are as we wrote them, and too many to look at each. */
const OutcomesRow = z.object({
  position: z.number(),
  firstItem: z.number(),
  size: z.number(),
  sourceIndexes: z.array(z.number()),
  outcomes: z.array(z.custom<readonly ItemOutcome[]>(Array.isArray)),
});
const OUTCOMES = Prisma.sql`
  c.position, c.first_item AS "firstItem", c.size, c.source_indexes AS "sourceIndexes", c.outcomes`;

const ContentRow = OutcomesRow.extend({ items: z.custom<readonly JsonValue[]>(Array.isArray) });

const StateRow: z.ZodType<ChunkState> = z.object({
  position: z.number(),
  taskId: taskIdColumn.nullable(),
  firstItem: z.number(),
  size: z.number(),
  done: z.number(),
  failed: z.number(),
  isEnded: z.boolean(),
  statusMessage: z.string().nullable(),
  ranMs: z.number().nullable(),
  bytes: z.number(),
});
/** Of a chunk `c` and the task `t` that runs it, if any. */
const STATE = Prisma.sql`
  c.position, c.task_id AS "taskId", c.first_item AS "firstItem", c.size, c.done, c.failed,
  t.status_message AS "statusMessage", pg_column_size(c.outcomes) AS bytes,
  c.task_id IS NOT NULL AND (t.id IS NULL OR t.finished_at IS NOT NULL) AS "isEnded",
  CASE WHEN t.outcome_kind = 'result'
    THEN (1000 * extract(epoch FROM t.finished_at - t.started_at))::float8 END AS "ranMs"`;

const CountRow = z.object({ done: z.number(), failed: z.number() });

const ChildRow = z.object({
  state: z.enum(['working', 'input_required', 'finished', 'cancelled']),
  outcome_kind: z.enum(['result', 'tool_error', 'error']).nullable(),
  payload: z.custom<JsonValue>(),
});

/**
 * What a running task writes of its batches is fenced by its attempt: those statements have files of their own. What it
 * reads is its own, so no principal is asked for, and locks nothing.
 */
export class PostgresBatchStore implements BatchStore {
  readonly #runner: SqlRunner;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  open(fence: Fence, id: BatchId, key: string): Promise<BatchState | null> {
    return openBatch(this.#runner, { fence, id, key });
  }

  storeChunks(fence: Fence, chunks: NewChunks): Promise<boolean> {
    return storeChunks(this.#runner, fence, chunks);
  }

  stop(fence: Fence, batchId: BatchId): Promise<boolean> {
    return stopBatch(this.#runner, fence, batchId);
  }

  async chunk(batchId: BatchId, position: number): Promise<ChunkContent | null> {
    const [chunk] = await this.#runner.run({
      name: 'read-chunk',
      row: ContentRow,
      sql: Prisma.sql`
        SELECT ${OUTCOMES}, c.items FROM batch_chunks AS c
        WHERE c.batch_id = ${batchId}::uuid AND c.position = ${position}::int`,
    });
    if (chunk === undefined) return null;
    return { ...chunk, outcomes: chunk.outcomes.flat(1), saves: chunk.outcomes.length };
  }

  save(fence: Fence, progress: ChunkProgress): Promise<boolean> {
    return saveOutcomes(this.#runner, fence, progress);
  }

  async chunks(batchId: BatchId, positions: readonly number[]): Promise<ChunkState[]> {
    if (positions.length === 0) return [];
    return this.#runner.run({
      name: 'find-chunks',
      row: StateRow,
      sql: Prisma.sql`
        SELECT ${STATE}
        FROM unnest(${positions}::int[]) AS i (position)
        JOIN batch_chunks AS c ON c.batch_id = ${batchId}::uuid AND c.position = i.position
        LEFT JOIN tasks AS t ON t.id = c.task_id
        ORDER BY c.position`,
    });
  }

  /** Two statements: of open chunks it counts what the first one saw, and all others have come to their end. */
  async progress(batchId: BatchId): Promise<BatchProgress> {
    const open = await this.#runner.run({
      name: 'find-open-chunks',
      row: StateRow,
      sql: Prisma.sql`
        SELECT ${STATE}
        FROM batch_chunks AS c LEFT JOIN tasks AS t ON t.id = c.task_id
        WHERE c.batch_id = ${batchId}::uuid AND c.done + c.failed < c.size
        ORDER BY c.batch_id, c.position`,
    });
    const positions = open.map(({ position }) => position);
    const [counts] = await this.#runner.run({
      name: 'count-items',
      row: CountRow,
      sql: Prisma.sql`
        SELECT coalesce(sum(c.done), 0)::float8 AS done, coalesce(sum(c.failed), 0)::float8 AS failed
        FROM batch_chunks AS c
        WHERE c.batch_id = ${batchId}::uuid AND c.position <> ALL (${positions}::int[])`,
    });
    const { done, failed } = counts ?? { done: 0, failed: 0 };
    return {
      done: open.reduce((sum, chunk) => sum + chunk.done, done),
      failed: open.reduce((sum, chunk) => sum + chunk.failed, failed),
      open,
    };
  }

  /** batch_chunks_pkey in its own order, from the position on. */
  async outcomes(batchId: BatchId, position: number, limit: number): Promise<ChunkOutcomes[]> {
    const chunks = await this.#runner.run({
      name: 'read-outcomes',
      row: OutcomesRow,
      sql: Prisma.sql`
        SELECT ${OUTCOMES} FROM batch_chunks AS c
        WHERE c.batch_id = ${batchId}::uuid AND c.position >= ${position}::int
        ORDER BY c.batch_id, c.position
        LIMIT ${limit}::int`,
    });
    return chunks.map((chunk) => ({ ...chunk, outcomes: chunk.outcomes.flat(1) }));
  }

  startChild(fence: Fence, child: NewChild): Promise<boolean> {
    return startChild(this.#runner, fence, child);
  }

  /** @returns `cancelled` also when it is gone */
  async childOutcome(
    parent: TaskId,
    child: TaskId,
  ): Promise<Outcome | { readonly kind: 'cancelled' } | null> {
    const [row] = await this.#runner.run({
      name: 'find-child-outcome',
      row: ChildRow,
      sql: Prisma.sql`
        SELECT t.state, t.outcome_kind, r.payload
        FROM tasks AS t LEFT JOIN task_results AS r ON r.task_id = t.id
        WHERE t.id = ${child}::uuid AND t.parent_task_id = ${parent}::uuid`,
    });
    if (row === undefined || row.state === 'cancelled') return { kind: 'cancelled' };
    return row.outcome_kind === null ? null : toOutcome(row.outcome_kind, row.payload);
  }

  cancelDescendants(task: TaskId): Promise<EndedTask[]> {
    return cancelDescendants(this.#runner, task, null);
  }

  async cancelChildren(fence: Fence, children: readonly TaskId[]): Promise<EndedTask[]> {
    if (children.length === 0) return [];
    return cancelDescendants(this.#runner, fence.taskId, { fence, children });
  }
}
