import { type BatchStore, type JsonValue, toolErrorOutcome } from '@longshore/core';
import type { WorkerMetrics } from '@longshore/metrics';
import { ItemFailure, type Tool } from '@longshore/plugin';
import {
  createClock,
  createQuestions,
  type ItemTry,
  itemContext,
  runItem,
} from '@longshore/plugin/host';
import { errorText } from '../requests/error-text.ts';
import { failureOf } from '../requests/failure.ts';
import type { AttemptContext, RequestHandler } from '../requests/request-handler.ts';
import { prepareTool } from '../requests/tool-handler.ts';
import { retryUntilAborted, within } from '../run/store-call.ts';
import { type ChunkArguments, parseChunkArguments } from './chunk-arguments.ts';
import { type ItemCounts, runChunk } from './run-chunk.ts';
import { refusedItem, toolValue } from './tool-value.ts';
import { tracedItem } from './traced-item.ts';

type RunOne = (item: JsonValue, index: number, tried: ItemTry, ctx: AttemptContext) => unknown;

/** A chunk that fails does so for reasons that pass, such as a database that is away. */
const BACKOFF = { baseMs: 200, factor: 2, maxMs: 10_000 };

/** A stopped tool has a second to return. */
const LAST_SAVE_MS = 500;

/** Time for a thread to end by itself. */
const KILL_AFTER_MS = 1_000;

/** Runs chunks of batches whose items are for this tool: for it itself, or for one of its item functions. */
export function chunkHandler(
  tool: Tool,
  handler: RequestHandler,
  batches: BatchStore,
  metrics: Pick<WorkerMetrics, 'items'>,
): RequestHandler {
  return {
    noun: 'chunk',
    backoff: BACKOFF,
    promisesStructure: false,
    prepare: (params) => {
      try {
        const args = parseChunkArguments(params);
        const runOne = args.item === null ? runTool(tool, handler) : runItemOf(tool, args.item);
        return {
          kind: 'run',
          run: ({ ctx }) =>
            run(args, runOne, batches, ctx, (items) => metrics.items(tool.name, items)),
          outcomeOf: () => ({ kind: 'result', isError: false, result: { content: [] } }),
        };
      } catch (error) {
        return { kind: 'refused', outcome: toolErrorOutcome(errorText(error)) };
      }
    },
    failureOf: (thrown) => failureOf(thrown, toolErrorOutcome),
    failedOutcome: toolErrorOutcome,
  };
}

async function run(
  args: ChunkArguments,
  runOne: RunOne,
  batches: BatchStore,
  ctx: AttemptContext,
  saved: (items: ItemCounts) => void,
): Promise<void> {
  const { batch: batchId, position, itemAttempts, itemTimeoutMs, stopAfterFailures } = args;
  const { signal, fence } = ctx;
  const chunk = await retryUntilAborted('reading a chunk', signal, () =>
    batches.chunk(batchId, position),
  );
  if (chunk === null) throw new ItemFailure('CHUNK_FAILED', 'the chunk is gone');
  await runChunk({
    chunk,
    concurrency: 1,
    keepsValues: args.keepsValues,
    signal,
    runItem: (item, index) =>
      tracedItem(index, () =>
        runItem({
          attempts: itemAttempts,
          timeoutMs: itemTimeoutMs,
          signal,
          run: (tried) => runOne(item, index, tried, ctx),
        }),
      ),
    save: async (progress) => {
      const save = (): Promise<boolean> => batches.save(fence, { batchId, position, ...progress });
      const isSaved = signal.aborted
        ? await within(LAST_SAVE_MS, save(), 'saving what came of items')
        : await retryUntilAborted('saving what came of items', signal, save);
      if (!isSaved) throw new Error('the chunk was taken from this worker');
    },
    saved,
    mayGoOn: (_done, failed) => stopAfterFailures === null || failed < stopAfterFailures,
  });
}

/** @throws {ItemFailure} the tool has no such item function here */
function runItemOf(tool: Tool, name: string): RunOne {
  const item = tool.items?.find((one) => one.name === name);
  if (item === undefined) {
    throw new ItemFailure(
      'CHUNK_FAILED',
      `tool '${tool.name}' has no item function '${name}' here`,
    );
  }
  return (given, index, tried, ctx) => item.run(item.parse(given), itemContext(ctx, index, tried));
}

/** The tool as it is called, but for what belongs to the whole task: the client, progress, status. */
function runTool(tool: Tool, handler: RequestHandler): RunOne {
  return async (item, index, tried, ctx) => {
    if (typeof item !== 'object' || item === null || Array.isArray(item)) {
      const text = `the arguments of tool '${tool.name}' are an object`;
      throw new ItemFailure('INVALID_ARGUMENTS', text);
    }
    // A tool in a thread checks them there, and says no more than that it failed.
    const checked = prepareTool(tool, item);
    if (checked.kind === 'refused') throw refusedItem(checked.outcome);
    const prepared = handler.prepare(item);
    if (prepared.kind === 'refused') throw refusedItem(prepared.outcome);
    const { kill } = prepared;
    if (kill !== undefined) killAfter(tried.signal, kill);
    const scope = {
      ctx: toolContext(ctx, index, tried),
      ask: cannotAsk,
      openFile: cannotOpen,
      timeLimit: NO_LIMIT,
    };
    return toolValue(prepared.outcomeOf(await prepared.run(scope)));
  };
}

/** The item's time limit is that of the chunk's run. */
const NO_LIMIT = { pause: (): void => {}, resume: (): void => {} };

const cannotAsk = (): Promise<never> =>
  Promise.reject(new Error('an item of a batch can not ask the client'));

/** In a thread, where the name of a file can not be told from that of another item. */
const cannotOpen = (): Promise<never> =>
  Promise.reject(new Error("an item of a tool of isolate 'thread' can not write files"));

function toolContext(ctx: AttemptContext, index: number, tried: ItemTry): AttemptContext {
  const scope = `${index}/`;
  return {
    ...ctx,
    // The files of a chunk are of one task: each item has its own names.
    file: (name, options) => ctx.file(`${index}-${name}`, options),
    ...createQuestions({
      client: {
        elicitation: { form: false, url: false },
        sampling: false,
        samplingTools: false,
        roots: false,
      },
      ask: cannotAsk,
    }),
    ...ctx.batches(scope),
    ...createClock(tried),
    signal: tried.signal,
    attempt: tried.attempt,
    progress: () => {},
    statusMessage: () => {},
    checkpoint: {
      get: (key) => ctx.checkpoint.get(scope + key),
      set: (key, value) => ctx.checkpoint.set(scope + key, value),
    },
    batches: (inner) => ctx.batches(scope + inner),
  };
}

/** A thread that ignores its signal is ended, as it is for calls. */
function killAfter(signal: AbortSignal, kill: () => Promise<boolean>): void {
  signal.addEventListener(
    'abort',
    () => void setTimeout(() => void kill(), KILL_AFTER_MS).unref(),
    {
      once: true,
    },
  );
}
