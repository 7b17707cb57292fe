import type {
  BatchId,
  BatchTask,
  CountedBatches,
  ItemPlace,
  ItemRecords,
  ItemSlice,
  ItemStatus,
  OwnedBatches,
  PrincipalId,
  SliceLimits,
  StoredItems,
  TaskId,
} from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { findBatchTask } from '../statements/find-batch-task.ts';
import { findBatches } from '../statements/find-batches.ts';
import { readItems } from '../statements/read-items.ts';
import { readStoredItems } from '../statements/read-stored-items.ts';
import { summarizeBatches } from '../statements/summarize-batches.ts';

/** Batches of a task that are named at once. */
const MOST_BATCHES = 100;

export class PostgresItemRecords implements ItemRecords {
  readonly #runner: SqlRunner;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async batches(
    taskId: TaskId,
    owner: PrincipalId,
    key: string | null,
    from: BatchId | null,
  ): Promise<OwnedBatches | null> {
    if (!isUuid(taskId) || (from !== null && !isUuid(from))) return null;
    return findBatches(this.#runner, { taskId, owner, key, from, limit: MOST_BATCHES });
  }

  async items(
    taskId: TaskId,
    owner: PrincipalId,
    batchId: BatchId,
    status: ItemStatus,
    from: ItemPlace,
    limits: SliceLimits,
  ): Promise<ItemSlice | null> {
    return readItems(this.#runner, { taskId, owner, batchId, status, from, limits });
  }

  async counts(taskId: TaskId, owner: PrincipalId): Promise<CountedBatches | null> {
    return isUuid(taskId) ? summarizeBatches(this.#runner, taskId, owner, MOST_BATCHES) : null;
  }

  async batchTask(taskId: TaskId, owner: PrincipalId): Promise<BatchTask | null> {
    return isUuid(taskId) ? findBatchTask(this.#runner, taskId, owner, MOST_BATCHES) : null;
  }

  async storedItems(
    taskId: TaskId,
    owner: PrincipalId,
    batchId: BatchId,
    withSkipped: boolean,
    position: number,
  ): Promise<StoredItems | null> {
    return readStoredItems(this.#runner, { taskId, owner, batchId, withSkipped, position });
  }
}
