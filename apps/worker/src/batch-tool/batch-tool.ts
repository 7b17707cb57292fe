import type { AnnouncedTool } from '@longshore/core';
import {
  type Batch,
  defineTool,
  type PluginHost,
  type Tool,
  type ToolContext,
  ToolError,
  z,
} from '@longshore/plugin';
import { itemsOfFile } from './batch-items.ts';

/** Also known to the API, which asks for the scope of the tool inside. */
export const BATCH_TOOL = 'batch';

const Input = z.strictObject({
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
  concurrency: z
    .int()
    .min(1)
    .max(1_000)
    .optional()
    .describe('Runs at once at most, over all workers.'),
  stop_after_failures: z
    .int()
    .min(1)
    .optional()
    .describe('After so many failed items nothing more is started.'),
  result_mode: z
    .enum(['summary', 'failures_only', 'all'])
    .default('failures_only')
    .describe('What the result shows beside the counts: nothing, what failed, or everything.'),
});
type Input = z.output<typeof Input>;

const Shown = z.object({
  index: z.int().describe('Of the item, from 0.'),
  ok: z.boolean(),
  value: z.unknown().optional().describe('What the tool returned.'),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
  attempts: z.int(),
});

const Output = z.object({
  total: z.int(),
  done: z.int(),
  failed: z.int(),
  skipped: z.int().describe('Not run, because the batch was stopped.'),
  stopped: z.boolean().describe('It ended early, after stop_after_failures.'),
  results: z.array(Shown).describe('In the order of the items, as result_mode says.'),
  not_shown: z.int().describe('Results that were left out, to keep the answer short.'),
});

/** Characters of JSON that the results in an answer have: some pages, which a model can read. */
const SHOWN_LENGTH = 48 * 1024;

/** Characters of one value or message that are shown. */
const LONGEST_SHOWN = 4 * 1024;

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
    input: Input,
    output: Output,
    task: { attempts: 3, timeoutMs: 3_600_000 },
    run: async (input, ctx) => {
      const tool = await innerTool(input.tool, findTool);
      const batch = await ctx.map(itemsOf(input, tool, host, ctx), tool.name, {
        key: 'items',
        resultMode: input.result_mode,
        ...(input.concurrency === undefined ? {} : { concurrency: input.concurrency }),
        ...(input.stop_after_failures === undefined
          ? {}
          : { stopAfterFailures: input.stop_after_failures }),
      });
      return { ...batch.summary(), ...(await shown(batch, input.result_mode)) };
    },
  });
}

async function innerTool(
  name: string,
  findTool: BatchToolOptions['findTool'],
): Promise<AnnouncedTool> {
  if (name === BATCH_TOOL) throw new ToolError('batch does not run itself: put all items into one');
  const tool = await findTool(name);
  if (tool === null) throw new ToolError(`Unknown tool: ${name}`);
  if (tool.requires.length === 0) return tool;
  throw new ToolError(
    `Tool ${name} asks its client, which an item of a batch can not: call it alone`,
  );
}

function itemsOf(
  { items, items_from: path }: Input,
  tool: AnnouncedTool,
  host: BatchToolOptions['host'],
  ctx: ToolContext,
): Iterable<unknown> | AsyncIterable<unknown> {
  if (items !== undefined && path === undefined) return items;
  if (items === undefined && path !== undefined) {
    return itemsOfFile(path, tool.inputSchema, host, ctx);
  }
  throw new ToolError('give either items or items_from');
}

async function shown(
  batch: Batch<unknown>,
  mode: Input['result_mode'],
): Promise<Pick<z.output<typeof Output>, 'results' | 'not_shown'>> {
  const results: z.output<typeof Shown>[] = [];
  const { done, failed } = batch.summary();
  const all = mode === 'all' ? done + failed : failed;
  if (mode === 'summary') return { results, not_shown: 0 };
  let length = 0;
  for await (const result of batch) {
    const one = result.ok ? { ...result, value: clipped(result.value) } : result;
    length += JSON.stringify(one).length;
    if (length > SHOWN_LENGTH) break;
    results.push(one);
  }
  return { results, not_shown: all - results.length };
}

function clipped(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= LONGEST_SHOWN ? value : `${text.slice(0, LONGEST_SHOWN)}… (cut)`;
}
