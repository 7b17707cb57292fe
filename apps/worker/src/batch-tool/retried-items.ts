import {
  type AnnouncedTool,
  BATCH_TOOL,
  type ItemRecords,
  RETRY_TOOL,
  type TaskId,
} from '@longshore/core';
import { type PluginHost, type ToolContext, ToolError } from '@longshore/plugin';
import { SourcedItem } from '../batch/item-reader.ts';
import { retryUntilAborted } from '../run/store-call.ts';
import { BatchInput, batchItems } from './batch-tool.ts';
import { RetryInput } from './map-arguments.ts';
import { type RetriedBatch, type RetriedBatchOptions, retriedBatch } from './retried-batch.ts';

export interface RetriedItemsOptions extends RetriedBatchOptions {
  readonly records: Pick<ItemRecords, 'batchTask' | 'storedItems'>;
  readonly host: Pick<PluginHost, 'directories' | 'dataDir'>;
  readonly ctx: Pick<ToolContext, 'principal'>;
  readonly findTool: (name: string) => Promise<AnnouncedTool | null>;
}

/** Whether the source of a batch, when it had more items than were stored, is known here. */
export function isSourceKnown({ task, batch }: RetriedBatch): boolean {
  return batch.sealed || task.toolName === BATCH_TOOL || task.toolName === RETRY_TOOL;
}

/**
 * The items of a batch that failed, in order, some chunks at a time; with those that were never run, first those
 * that were stored, then what its source has left.
 *
 * The batch has ended, so these are the same however often they are read.
 *
 * @throws {ToolError} the batch has expired meanwhile, or its source can not be read any more
 */
export async function* retriedItems(
  options: RetriedItemsOptions,
  retried: RetriedBatch,
  withSkipped: boolean,
): AsyncGenerator<SourcedItem> {
  const { records, owner, signal } = options;
  const { taskId, batch } = retried;
  for (let position: number | null = 0; position !== null; ) {
    const at: number = position;
    const stored = await retryUntilAborted('reading items of a batch', signal, () =>
      records.storedItems(taskId, owner, batch.id, withSkipped, at),
    );
    if (stored === null) throw new ToolError(`Task ${taskId} has expired while it was read`);
    for (const [index, item] of stored.items) yield new SourcedItem(index, item);
    position = stored.next;
  }
  if (withSkipped && !batch.sealed) yield* unread(options, retried);
}

/** What the source of a batch has behind the items that were stored. */
async function* unread(
  options: RetriedItemsOptions,
  { task, batch, target }: RetriedBatch,
): AsyncGenerator<SourcedItem> {
  if (task.toolName === RETRY_TOOL) {
    const { task_id: taskId, key, include_skipped } = RetryInput.parse(task.arguments);
    const earlier = await retriedBatch(options, taskId as TaskId, key ?? null);
    let index = 0;
    for await (const item of retriedItems(options, earlier, include_skipped)) {
      if (index >= batch.items) yield item;
      index += 1;
    }
    return;
  }
  if (task.toolName !== BATCH_TOOL) return;
  const tool = await options.findTool(target.toolName);
  if (tool === null) throw new ToolError(`Unknown tool: ${target.toolName}`);
  const source = batchItems(BatchInput.parse(task.arguments), tool, options.host, options.ctx);
  let index = 0;
  for await (const item of source) {
    if (index >= batch.items) yield new SourcedItem(index, item);
    index += 1;
  }
}
