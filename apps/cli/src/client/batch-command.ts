import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';
import { readItems } from './read-items.ts';
import { type FollowOptions, runAsTask } from './run-as-task.ts';
import { requireTool } from './tools.ts';

const BATCH_TOOL = 'batch';
const Counts = z.object({ failed: z.number(), stopped: z.boolean().optional() });

export interface BatchOptions extends FollowOptions {
  readonly items?: string | undefined;
  readonly itemsFrom?: string | undefined;
  readonly concurrency?: number | undefined;
  readonly stopAfter?: number | undefined;
  readonly results?: string | undefined;
  readonly key?: string | undefined;
}

/** `batch TOOL`. @returns the exit code */
export async function batchCommand(
  context: ClientContext,
  tool: string,
  options: BatchOptions,
): Promise<number> {
  const { items: file, itemsFrom, concurrency, stopAfter, results, key } = options;
  if ((file === undefined) === (itemsFrom === undefined)) {
    throw new CliError(EXIT.usage, 'batch needs --items FILE or --items-from PATH, one of them');
  }
  // Once without types: a file that can not be read needs no server.
  if (file !== undefined) readItems(file, null);
  const { inputSchema } = await requireTool(context, tool);
  await requireTool(context, BATCH_TOOL);
  const source =
    file === undefined ? { items_from: itemsFrom } : { items: readItems(file, inputSchema) };
  const wishes = { concurrency, stop_after_failures: stopAfter, result_mode: results };
  const given = Object.entries(wishes).filter(([, value]) => value !== undefined);
  const args = { tool, ...source, ...Object.fromEntries(given) };
  return runAsTask(
    context,
    { name: BATCH_TOOL, arguments: args, key },
    options,
    ({ structuredContent }) => {
      const counts = Counts.safeParse(structuredContent).data;
      return counts !== undefined && (counts.failed > 0 || counts.stopped === true);
    },
  );
}
