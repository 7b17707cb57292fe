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
  NewChild,
  NewChunks,
  Outcome,
  TaskId,
} from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { cancelDescendants } from '../statements/cancel-descendants.ts';
import { countItems } from '../statements/count-items.ts';
import { findChildOutcome } from '../statements/find-child-outcome.ts';
import { findChunks } from '../statements/find-chunks.ts';
import { findOpenChunks } from '../statements/find-open-chunks.ts';
import { openBatch } from '../statements/open-batch.ts';
import { readChunk } from '../statements/read-chunk.ts';
import { readOutcomes } from '../statements/read-outcomes.ts';
import { saveOutcomes } from '../statements/save-outcomes.ts';
import { startChild } from '../statements/start-child.ts';
import { stopBatch } from '../statements/stop-batch.ts';
import { storeChunks } from '../statements/store-chunks.ts';

export class PostgresBatchStore implements BatchStore {
  readonly #runner: SqlRunner;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  open(taskId: TaskId, attempt: number, id: BatchId, key: string): Promise<BatchState | null> {
    return openBatch(this.#runner, { taskId, attempt, id, key });
  }

  storeChunks(task: TaskId, attempt: number, chunks: NewChunks): Promise<boolean> {
    return storeChunks(this.#runner, task, attempt, chunks);
  }

  stop(task: TaskId, attempt: number, batchId: BatchId): Promise<boolean> {
    return stopBatch(this.#runner, task, attempt, batchId);
  }

  chunk(batchId: BatchId, position: number): Promise<ChunkContent | null> {
    return readChunk(this.#runner, batchId, position);
  }

  save(task: TaskId, attempt: number, progress: ChunkProgress): Promise<boolean> {
    return saveOutcomes(this.#runner, task, attempt, progress);
  }

  async chunks(batchId: BatchId, positions: readonly number[]): Promise<ChunkState[]> {
    return positions.length === 0 ? [] : findChunks(this.#runner, batchId, positions);
  }

  /** Two statements: of open chunks it counts what the first one saw, and all others have come to their end. */
  async progress(batchId: BatchId): Promise<BatchProgress> {
    const open = await findOpenChunks(this.#runner, batchId);
    const positions = open.map(({ position }) => position);
    const { done, failed } = await countItems(this.#runner, batchId, positions);
    return {
      done: open.reduce((sum, chunk) => sum + chunk.done, done),
      failed: open.reduce((sum, chunk) => sum + chunk.failed, failed),
      open,
    };
  }

  outcomes(batchId: BatchId, position: number, limit: number): Promise<ChunkOutcomes[]> {
    return readOutcomes(this.#runner, batchId, position, limit);
  }

  startChild(task: TaskId, attempt: number, child: NewChild): Promise<boolean> {
    return startChild(this.#runner, task, attempt, child);
  }

  childOutcome(
    parent: TaskId,
    child: TaskId,
  ): Promise<Outcome | { readonly kind: 'cancelled' } | null> {
    return findChildOutcome(this.#runner, parent, child);
  }

  cancelDescendants(task: TaskId): Promise<EndedTask[]> {
    return cancelDescendants(this.#runner, task, null);
  }

  async cancelChildren(
    task: TaskId,
    attempt: number,
    children: readonly TaskId[],
  ): Promise<EndedTask[]> {
    if (children.length === 0) return [];
    return cancelDescendants(this.#runner, task, { attempt, children });
  }
}
