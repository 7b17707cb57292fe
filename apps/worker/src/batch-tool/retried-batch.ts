import type { BatchTask, EndedBatch, ItemRecords, PrincipalId, TaskId } from '@longshore/core';
import { ToolError } from '@longshore/plugin';
import { NamedTarget } from '../batch/batch-target.ts';
import { parseChunkArguments } from '../batch/chunk-arguments.ts';
import { retryUntilAborted } from '../run/store-call.ts';

/** Keys that an error names. */
const MOST_KEYS = 10;

/** A batch that has ended, and what its items are run by. */
export interface RetriedBatch {
  readonly taskId: TaskId;
  readonly task: BatchTask;
  readonly batch: EndedBatch;
  readonly target: NamedTarget;
}

export interface RetriedBatchOptions {
  readonly records: Pick<ItemRecords, 'batchTask'>;
  readonly owner: PrincipalId;
  readonly signal: AbortSignal;
}

/**
 * Finds a batch whose items may be run again.
 *
 * @param key null: the only one that the task has
 * @throws {ToolError} that says what stands in the way
 */
export async function retriedBatch(
  { records, owner, signal }: RetriedBatchOptions,
  taskId: TaskId,
  key: string | null,
): Promise<RetriedBatch> {
  const task = await retryUntilAborted('reading a batch', signal, () =>
    records.batchTask(taskId, owner),
  );
  if (task === null) {
    throw new ToolError(`There is no task ${taskId}: it is unknown, expired, or of somebody else`);
  }
  if (!task.hasEnded) throw new ToolError(`Task ${taskId} has not ended: wait for it first`);
  if (!task.isSettled) {
    throw new ToolError(`Task ${taskId} has ended and is still being stopped: try again shortly`);
  }
  const batch = batchOf(task, taskId, key);
  if (batch.target === null) {
    throw new ToolError(
      batch.items === 0
        ? `Batch '${batch.key}' of task ${taskId} has no items`
        : `Batch '${batch.key}' of task ${taskId} ran a function in place, which can not be run again from here: call ${task.toolName} again`,
    );
  }
  const { item, itemAttempts, itemTimeoutMs } = parseChunkArguments(batch.target.arguments);
  const { toolName } = batch.target;
  const target = new NamedTarget({ toolName, item, itemAttempts, itemTimeoutMs });
  return { taskId, task, batch, target };
}

function batchOf({ batches }: BatchTask, taskId: TaskId, key: string | null): EndedBatch {
  if (batches.length === 0) throw new ToolError(`Task ${taskId} has no batch`);
  const wanted = key === null ? batches : batches.filter((batch) => batch.key === key);
  const [first, ...others] = wanted;
  const keys = batches.slice(0, MOST_KEYS).map((batch) => `'${batch.key}'`);
  const named = keys.join(', ') + (batches.length > MOST_KEYS ? ' and more' : '');
  if (first === undefined) {
    throw new ToolError(`Task ${taskId} has no batch '${key}' but ${named}`);
  }
  if (others.length === 0) return first;
  throw new ToolError(`Task ${taskId} has several batches, say which in key: ${named}`);
}
