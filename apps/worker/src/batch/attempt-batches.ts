import type {
  AnnouncedTool,
  AttemptStore,
  BatchId,
  BatchStore,
  EndedTask,
  EventBus,
  InputStore,
  Logger,
} from '@longshore/core';
import type { WorkerMetrics } from '@longshore/metrics';
import {
  type Batch,
  type CallOptions,
  type ItemFunction,
  type ItemResult,
  type Items,
  type MapOptions,
  type MapRun,
  ToolError,
  type ToolLog,
} from '@longshore/plugin';
import { type BatchAbilities, checkMapOptions, isItem, isTool } from '@longshore/plugin/host';
import type { AttemptInputs } from '../inputs/attempt-inputs.ts';
import { toJsonObject } from '../json/to-json-value.ts';
import type { LoadedTool } from '../plugins/offers.ts';
import type { RunningAttempt } from '../run/running-attempt.ts';
import type { BatchMap, BatchMapOptions } from './batch-map.ts';
import { BatchProgressTeller } from './batch-progress.ts';
import { endedBatch, resultsOf } from './batch-results.ts';
import { type BatchTarget, NamedTarget, toolLimit } from './batch-target.ts';
import { callChild } from './child-call.ts';
import { ChildQuestions } from './child-questions.ts';
import { ChildWaits } from './child-waits.ts';
import { ChunkedMap } from './chunked-map.ts';
import { derivedId } from './derived-id.ts';
import { InlineMap } from './inline-map.ts';
import type { ToolLookup } from './tool-lookup.ts';

/*
 * How a map over many items runs. docs/batches.md has what authors see of it.
 *
 * Authority. The rows of the batch and of its chunks, which hold items and outcomes. A chunk is a task without a client
 * (docs/decisions/0019-a-chunk-is-a-task.md), so all that attempt.ts says is true of it. Ids are derived from the task and
 * the batch's key: the next attempt of the parent finds what the one before it made. Memory has only how far the batch
 * is (BatchMap).
 *
 * States. A chunk is open while items of it have no outcome, then through. A batch is sealed once its source has no more
 * items, stopped once it had `stopAfterFailures`, and ends when it is one of both and no chunk is open.
 *
 * How long memory may be behind. Outcomes are saved 100 ms after the one before, at most (run-chunk.ts); the parent looks
 * when a chunk says that it ended, and on a timer (ChildWaits).
 *
 * What fails. The worker of a chunk: the chunk's next attempt runs the items that have no outcome. The worker of the parent: the
 * parent's next attempt reads its source again, passes over what is stored, and goes on with the open chunks. An item:
 * it has an error for an outcome, and the batch goes on. A chunk that can not run at all: so have its items. The parent
 * ends: its chunks are cancelled, in the same call or by the sweeper.
 *
 * What one may rely on. Each stored item has one outcome in the end, and outcomes are read in the order of the items. Not on
 * an item running once: a crash repeats what was under way and what came in the last 100 ms. Not on `stopAfterFailures`
 * to the item: what is under way then ends.
 */

/** What batches need of the worker. */
export interface BatchServices {
  readonly store: BatchStore;
  readonly attempts: AttemptStore;
  readonly inputStore: Pick<InputStore, 'pending' | 'answer'>;
  readonly tools: ToolLookup;
  readonly bus: EventBus;
  /** Says that tasks wait for their jobs. */
  readonly poke: () => void;
  /** Items of one batch at most. */
  readonly maxItems: number;
  readonly metrics: Pick<WorkerMetrics, 'items' | 'orphaned'>;
  readonly log: Logger;
}

export interface AttemptBatchesOptions {
  readonly attempt: RunningAttempt;
  readonly services: BatchServices;
  /** What the attempt runs, or maps over; null: no tool. */
  readonly tool: LoadedTool | null;
  readonly inputs: AttemptInputs;
  readonly log: ToolLog;
}

interface BatchName {
  readonly key: string;
  /**
   * Names of what came to a good end in the same run of the tool: another batch of that name would get its
   * results. One that failed may be tried again.
   */
  readonly ended: Set<string>;
}

/** The maps and calls of one attempt. They end with its tool, and go on with the next attempt. */
export class AttemptBatches {
  readonly #options: AttemptBatchesOptions;
  readonly #waits: ChildWaits;
  readonly #teller: BatchProgressTeller;
  readonly #ended = new AbortController();
  readonly #underWay = new Set<string>();
  #isUsed = false;

  constructor(options: AttemptBatchesOptions) {
    const { attempt, services } = options;
    const { reporter, claim } = attempt;
    this.#options = options;
    this.#waits = new ChildWaits({ taskId: claim.taskId, bus: services.bus, log: services.log });
    this.#teller = new BatchProgressTeller({
      progress: (done, total, message) => reporter.progress(done, total, message),
      statusMessage: (text) => reporter.statusMessage(text),
    });
    const { signal } = attempt;
    if (signal.aborted) this.#ended.abort(signal.reason);
    signal.addEventListener('abort', () => this.#ended.abort(signal.reason), { once: true });
  }

  /** True once something may have been stored or started. */
  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** What a tool gets. Names that it leaves out are counted; `scope` goes before all of them. */
  abilities(scope: string): BatchAbilities {
    let maps = 0;
    let calls = 0;
    const ended = new Set<string>();
    const map = (
      items: Items<unknown>,
      what: unknown,
      options: MapOptions = {},
    ): MapRun<unknown> => {
      maps += 1;
      const key = scope + (options.key ?? `map-${maps}`);
      return this.#map(items, what, options, { key, ended });
    };
    const call = async (
      what: unknown,
      args: unknown,
      options: CallOptions = {},
    ): Promise<unknown> => {
      calls += 1;
      return this.#call(what, args, scope + (options.key ?? `call-${calls}`));
    };
    // The overloads tie the types of items and results to what runs them.
    return { map, call } as BatchAbilities;
  }

  /** The tool has ended: what it left under way ends too. */
  async close(): Promise<void> {
    this.#ended.abort(new Error('the tool has returned: its batches have ended'));
    await this.#waits.close();
  }

  #map(
    items: Items<unknown>,
    what: unknown,
    options: MapOptions,
    name: BatchName,
  ): MapRun<unknown> {
    const made = this.#make(items, what, options, name);
    const ended = made.then(async (map): Promise<Batch<unknown>> => {
      try {
        await map.run();
        name.ended.add(name.key);
      } finally {
        this.#underWay.delete(name.key);
      }
      return endedBatch(map, this.#options.services.store);
    });
    // Whoever only iterates hears of a failure there.
    ended.catch(() => {});
    return Object.assign(ended, { [Symbol.asyncIterator]: () => this.#results(made) });
  }

  async *#results(made: Promise<BatchMap>): AsyncGenerator<ItemResult<unknown>> {
    yield* resultsOf(await made, this.#options.services.store);
  }

  async #make(
    items: Items<unknown>,
    what: unknown,
    given: MapOptions,
    { key, ended }: BatchName,
  ): Promise<BatchMap> {
    const { attempt, services, log } = this.#options;
    checkKey(key);
    this.#begin();
    if (this.#underWay.has(key) || ended.has(key)) {
      throw new ToolError(`two batches are named '${key}': give each a key of its own`);
    }
    const options = checkMapOptions(given);
    this.#underWay.add(key);
    try {
      const target = await this.#targetOf(what);
      const { metrics } = services;
      const id = derivedId('batch', attempt.claim.taskId, key) as BatchId;
      const common: BatchMapOptions = {
        attempt,
        signal: this.#ended.signal,
        store: services.store,
        id,
        key,
        items,
        options,
        maxItems: services.maxItems,
        counted: (count) => this.#teller.tell(id, count),
        saved: (counts) =>
          metrics.items(
            target.kind === 'inline' ? attempt.claim.toolName : target.toolName,
            counts,
          ),
      };
      if (target.kind === 'inline') return new InlineMap({ ...common, run: target.run, log });
      const { bus, poke } = services;
      const orphaned = (tasks: readonly EndedTask[]): void => metrics.orphaned(tasks);
      return new ChunkedMap({ ...common, target, waits: this.#waits, bus, poke, orphaned });
    } catch (error) {
      this.#underWay.delete(key);
      throw error;
    }
  }

  async #call(what: unknown, args: unknown, key: string): Promise<unknown> {
    const { attempt, services, inputs } = this.#options;
    checkKey(key);
    this.#begin();
    const tool = await this.#announced(nameOf(what, 'ctx.call'));
    return callChild({
      attempt,
      signal: this.#ended.signal,
      store: services.store,
      waits: this.#waits,
      bus: services.bus,
      poke: services.poke,
      key,
      tool,
      arguments: toJsonObject(args),
      questions: (child) =>
        new ChildQuestions({
          attempt,
          child,
          prefix: `${key}/`,
          signal: this.#ended.signal,
          inputs,
          inputStore: services.inputStore,
          attempts: services.attempts,
          bus: services.bus,
        }),
    });
  }

  #begin(): void {
    this.#ended.signal.throwIfAborted();
    if (this.#options.tool === null) {
      throw new Error(
        'prompts and resources have no batches and call no tools: let a tool do that',
      );
    }
    this.#isUsed = true;
  }

  async #targetOf(what: unknown): Promise<BatchTarget> {
    if (what instanceof NamedTarget) return this.#namedTarget(what);
    if (isItem(what)) return this.#itemTarget(what.name);
    if (typeof what === 'function') {
      return { kind: 'inline', run: what as ItemFunction<unknown, unknown> };
    }
    const tool = await this.#announced(nameOf(what, 'ctx.map'));
    const { name, policy } = tool;
    return {
      kind: 'chunks',
      toolName: name,
      item: null,
      queue: policy.queue,
      itemAttempts: policy.maxAttempts,
      itemTimeoutMs: policy.timeoutMs,
      toolLimit: toolLimit(tool, this.#options.attempt.claim.toolName),
    };
  }

  async #namedTarget({ toolName, ...target }: NamedTarget): Promise<BatchTarget> {
    const tool = await this.#announced(toolName);
    const { queue } = tool.policy;
    const limit =
      target.item === null ? toolLimit(tool, this.#options.attempt.claim.toolName) : null;
    return { kind: 'chunks', toolName, ...target, queue, toolLimit: limit };
  }

  #itemTarget(item: string): BatchTarget {
    const own = this.#options.tool;
    if (own?.tool.items?.some(({ name }) => name === item) !== true) {
      throw new Error(
        `tool '${own?.tool.name ?? ''}' does not list the item function '${item}': write items: [${item}]`,
      );
    }
    const { name, policy } = own.announced;
    const { queue } = policy;
    return {
      kind: 'chunks',
      toolName: name,
      item,
      queue,
      itemAttempts: 1,
      itemTimeoutMs: null,
      toolLimit: null,
    };
  }

  async #announced(name: string): Promise<AnnouncedTool> {
    const tool = await this.#options.services.tools.find(name);
    if (tool === null) throw new ToolError(`Unknown tool: ${name}`);
    return tool;
  }
}

function nameOf(what: unknown, where: string): string {
  if (typeof what === 'string') return what;
  if (isTool(what)) return what.name;
  throw new TypeError(
    `${where} takes a tool, the name of one${where === 'ctx.map' ? ', an item function made by defineItem, or a function' : ''}`,
  );
}

/** It is stored as text, which has no NUL, and another one in its place could be another batch's. */
function checkKey(key: string): void {
  if (key.includes('\0')) throw new TypeError('a key must not have NUL');
}
