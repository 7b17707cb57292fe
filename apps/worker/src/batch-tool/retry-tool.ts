import {
  type AnnouncedTool,
  type ItemRecords,
  type PrincipalId,
  RETRY_TOOL,
  type TaskId,
} from '@longshore/core';
import {
  type Batch,
  defineTool,
  type PluginHost,
  type Tool,
  type ToolContext,
  ToolError,
  z,
} from '@longshore/plugin';
import type { NamedTarget } from '../batch/batch-target.ts';
import { mapOptions, RetryInput } from './map-arguments.ts';
import { type RetriedBatch, retriedBatch } from './retried-batch.ts';
import { isSourceKnown, retriedItems } from './retried-items.ts';
import { RESULT_SHAPE, shownResults } from './shown-results.ts';

const Output = z.object({
  retry_of: z.string().describe('Id of the task whose items these were.'),
  ...RESULT_SHAPE,
  left_unread: z
    .boolean()
    .optional()
    .describe('The batch ended before all of its items were read: those are not among these.'),
});

export interface RetryToolOptions {
  readonly host: Pick<PluginHost, 'directories' | 'dataDir'>;
  readonly records: Pick<ItemRecords, 'batchTask' | 'storedItems'>;
  /** Null: no live worker has a tool of this name. */
  readonly findTool: (name: string) => Promise<AnnouncedTool | null>;
}

/** The tool `retry_failed`, which every server has: the failed items of a batch, once more, as a task of its own. */
export function retryTool({ host, records, findTool }: RetryToolOptions): Tool {
  return defineTool({
    name: RETRY_TOOL,
    title: 'Run failed items again',
    description:
      'Runs the failed items of a batch that has ended again, as a new task, with whatever ran them: of a task of the tool batch, of retry_failed itself, or of a tool that maps over items. The results have the indexes of the first batch.',
    input: RetryInput,
    output: Output,
    task: { attempts: 3, timeoutMs: 3_600_000 },
    run: async (input, ctx) => {
      const { task_id: taskId, key, include_skipped: withSkipped } = input;
      const owner = ctx.principal as PrincipalId;
      const options = { records, owner, signal: ctx.signal, host, ctx, findTool };
      const retried = await retriedBatch(options, taskId as TaskId, key ?? null);
      const items = retriedItems(options, retried, withSkipped);
      const first = await items.next();
      if (first.done === true) throw nothingToRetry(retried, withSkipped);
      const batch = await map(ctx, startingWith(first.value, items), retried.target, {
        key: 'items',
        ...mapOptions(input),
      });
      return {
        retry_of: taskId,
        ...batch.summary(),
        ...(await shownResults(batch, input.result_mode, ctx.taskId)),
        ...(withSkipped && !isSourceKnown(retried) ? { left_unread: true } : {}),
      };
    },
  });
}

function nothingToRetry({ taskId, batch }: RetriedBatch, withSkipped: boolean): ToolError {
  return new ToolError(
    withSkipped
      ? `Batch '${batch.key}' of task ${taskId} has no item that failed or was not run`
      : `Batch '${batch.key}' of task ${taskId} has no failed items`,
  );
}

/** A target by its name is no part of what authors can do. */
function map(
  ctx: ToolContext,
  items: AsyncIterable<unknown>,
  target: NamedTarget,
  options: Parameters<ToolContext['map']>[2],
): Promise<Batch<unknown>> {
  return ctx.map(items, target as never, options) as Promise<Batch<unknown>>;
}

async function* startingWith<T>(first: T, rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield first;
  yield* rest;
}
