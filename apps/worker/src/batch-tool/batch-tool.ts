import { type AnnouncedTool, BATCH_TOOL, RETRY_TOOL } from '@longshore/core';
import {
  defineTool,
  type PluginHost,
  type Tool,
  type ToolContext,
  ToolError,
  z,
} from '@longshore/plugin';
import { itemsOfFile } from './batch-items.ts';
import { CONCURRENCY, mapOptions, RESULT_MODE, STOP_AFTER_FAILURES } from './map-arguments.ts';
import { RESULT_SHAPE, shownResults } from './shown-results.ts';

export const BatchInput = z.strictObject({
  tool: z.string().min(1).describe('Name of the tool to run on each item.'),
  items: z
    .array(z.unknown())
    .optional()
    .describe('The argument sets: one object of arguments of the tool per run.'),
  items_from: z
    .string()
    .optional()
    .describe(
      'Instead of items: path of a file the server may read, .jsonl (an object per line) or .csv (the first line names the arguments).',
    ),
  concurrency: CONCURRENCY,
  stop_after_failures: STOP_AFTER_FAILURES,
  result_mode: RESULT_MODE,
});
type Input = z.output<typeof BatchInput>;

const Output = z.object(RESULT_SHAPE);

export interface BatchToolOptions {
  readonly host: Pick<PluginHost, 'directories' | 'dataDir'>;
  /** Null: no live worker has a tool of this name. */
  readonly findTool: (name: string) => Promise<AnnouncedTool | null>;
}

/** The tool `batch`, which every server has: any other tool, over many argument sets, as one task. */
export function batchTool({ host, findTool }: BatchToolOptions): Tool {
  return defineTool({
    name: BATCH_TOOL,
    title: 'Run a tool many times',
    description:
      'Runs another tool of this server over many argument sets as one task, in parallel and surviving crashes. Use it instead of calling a tool again and again. Give the argument sets in items, or name a file of them in items_from. Items that fail do not stop the others.',
    input: BatchInput,
    output: Output,
    task: { attempts: 3, timeoutMs: 3_600_000 },
    run: async (input, ctx) => {
      const tool = await innerTool(input.tool, findTool);
      const batch = await ctx.map(batchItems(input, tool, host, ctx), tool.name, {
        key: 'items',
        ...mapOptions(input),
      });
      return { ...batch.summary(), ...(await shownResults(batch, input.result_mode, ctx.taskId)) };
    },
  });
}

async function innerTool(
  name: string,
  findTool: BatchToolOptions['findTool'],
): Promise<AnnouncedTool> {
  if (name === BATCH_TOOL) throw new ToolError('batch does not run itself: put all items into one');
  // What it runs is not known before it runs, and nobody has asked for the scope of that.
  if (name === RETRY_TOOL) throw new ToolError(`batch does not run ${RETRY_TOOL}: call it alone`);
  const tool = await findTool(name);
  if (tool === null) throw new ToolError(`Unknown tool: ${name}`);
  if (tool.requires.length === 0) return tool;
  throw new ToolError(
    `Tool ${name} asks its client, which an item of a batch can not: call it alone`,
  );
}

/** @throws {ToolError} there is not exactly one source of items */
export function batchItems(
  { items, items_from: path }: Pick<Input, 'items' | 'items_from'>,
  tool: Pick<AnnouncedTool, 'inputSchema'>,
  host: BatchToolOptions['host'],
  ctx: Pick<ToolContext, 'principal'>,
): Iterable<unknown> | AsyncIterable<unknown> {
  if (items !== undefined && path === undefined) return items;
  if (items === undefined && path !== undefined) {
    return itemsOfFile(path, tool.inputSchema, host, ctx);
  }
  throw new ToolError('give either items or items_from');
}
