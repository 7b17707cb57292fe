import type { BatchAbilities } from '../batch/batch-abilities.ts';
import type {
  Batch,
  BatchSummary,
  CallOptions,
  FailedItem,
  ItemFunction,
  ItemResult,
  Items,
  MapOptions,
  MapRun,
} from '../batch/batch-types.ts';
import { isItem } from '../batch/define-item.ts';
import { type CheckedMapOptions, checkMapOptions } from '../batch/map-options.ts';
import { ItemFailure, type ItemTry, itemContext, itemError, runItem } from '../batch/run-item.ts';
import { isTool, type Tool } from '../tool.ts';
import { createClock, type TimeSource } from '../tool-clock.ts';
import type { ToolContext } from '../tool-context.ts';
import { ToolError } from '../tool-error.ts';

type RunOne = (item: unknown, index: number, tried: ItemTry) => unknown;

/**
 * Maps and calls in memory: items run one after the other, or `concurrency` at once, and go through JSON as
 * they do on a server. Nothing is kept, so nothing is resumed.
 *
 * @param tools those that may be named
 * @param context of the run; asked for when something runs
 * @param time of what it runs
 */
export function memoryBatches(
  tools: readonly Tool[],
  context: () => ToolContext,
  time?: TimeSource,
): BatchAbilities {
  const find = (what: unknown): Tool => {
    if (isTool(what)) return what;
    const tool = tools.find(({ name }) => name === what);
    if (tool !== undefined) return tool;
    throw new ToolError(`Unknown tool: ${String(what)}. Hand it to the run: tools: [...]`);
  };
  const map = (items: Items<unknown>, what: unknown, given?: MapOptions): MapRun<unknown> => {
    const batch = runBatch(items, given, () => runnerOf(what, find, context, time), context());
    batch.catch(() => {});
    const results = async function* (): AsyncGenerator<ItemResult<unknown>> {
      yield* await batch;
    };
    return Object.assign(batch, { [Symbol.asyncIterator]: results });
  };
  const call = async (what: unknown, args: unknown, _options?: CallOptions): Promise<unknown> =>
    callTool(find(what), args, context());
  return { map, call } as BatchAbilities;
}

function runnerOf(
  what: unknown,
  find: (what: unknown) => Tool,
  context: () => ToolContext,
  time: TimeSource | undefined,
): RunOne {
  if (isItem(what)) {
    return (item, index, tried) => what.run(what.parse(item), itemContext(context(), index, tried));
  }
  if (typeof what === 'function') {
    const run = what as ItemFunction<unknown, unknown>;
    return (item, index, tried) => run(item, itemContext(context(), index, tried));
  }
  const tool = find(what);
  return (item, _index, { signal, attempt }) =>
    callTool(tool, item, { ...context(), ...createClock({ signal }, time), signal, attempt });
}

/** A text or the structured content, as `ctx.call` gives them on a server. */
async function callTool(tool: Tool, args: unknown, ctx: ToolContext): Promise<unknown> {
  const input = parsed(() => tool.parseInput(args));
  const returned = await tool.run(input, ctx);
  return throughJson(tool.parseOutput === null ? returned : tool.parseOutput(returned));
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    throw new ItemFailure('INVALID_ARGUMENTS', itemError(error).message);
  }
}

async function runBatch(
  items: Items<unknown>,
  given: MapOptions | undefined,
  makeRun: () => RunOne,
  ctx: ToolContext,
): Promise<Batch<unknown>> {
  const options = checkMapOptions(given);
  const run = makeRun();
  const all: unknown[] = [];
  for await (const item of items) all.push(throughJson(item));
  const results: ItemResult<unknown>[] = [];
  let failed = 0;
  let next = 0;
  const mayGoOn = (): boolean =>
    next < all.length && failed < (options.stopAfterFailures ?? Number.POSITIVE_INFINITY);
  const lane = async (): Promise<void> => {
    while (mayGoOn()) {
      const index = next;
      next += 1;
      const result = await runOne(all[index], index, run, options, ctx);
      results[index] = result;
      if (!result.ok) failed += 1;
      ctx.progress(results.filter((one) => one !== undefined).length, all.length);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency ?? 1 }, lane));
  return batchOf(
    results.filter((result) => result !== undefined),
    { total: all.length, failed, keeps: options.resultMode === 'all' },
  );
}

async function runOne(
  item: unknown,
  index: number,
  run: RunOne,
  { itemAttempts, itemTimeoutMs }: CheckedMapOptions,
  { signal }: ToolContext,
): Promise<ItemResult<unknown>> {
  const end = await runItem({
    attempts: itemAttempts ?? 1,
    timeoutMs: itemTimeoutMs,
    signal,
    run: (tried) => run(item, index, tried),
  });
  if (!end.ok) return { index, ...end, ok: false };
  const { attempts } = end;
  try {
    return { index, ok: true, value: throughJson(end.value ?? null), attempts };
  } catch (error) {
    return { index, ok: false, error: { ...itemError(error), code: 'NOT_JSON' }, attempts };
  }
}

function batchOf(
  results: readonly ItemResult<unknown>[],
  { total, failed, keeps }: { total: number; failed: number; keeps: boolean },
): Batch<unknown> {
  const summary: BatchSummary = {
    total,
    done: results.length - failed,
    failed,
    skipped: total - results.length,
    stopped: results.length < total,
  };
  const failures = async function* (): AsyncGenerator<FailedItem> {
    for (const result of results) if (!result.ok) yield result;
  };
  const kept = async function* (): AsyncGenerator<ItemResult<unknown>> {
    yield* keeps ? results : failures();
  };
  return { summary: () => summary, failures, [Symbol.asyncIterator]: kept };
}

function throughJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
