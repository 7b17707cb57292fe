import type { ContentResult } from '../values/content.ts';
import type { Json } from '../values/json.ts';
import type { MaybePromise } from '../values/maybe-promise.ts';
import type { ToolLog } from '../values/tool-log.ts';

/** What a batch is made of. An async iterable is read as fast as the items are worked off. */
export type Items<Item> = Iterable<Item> | AsyncIterable<Item>;

/** What an item's function may do beside returning. */
export interface ItemContext {
  /** Fires when the item's time is over, and with the signal of whatever runs it. Pass it on. */
  readonly signal: AbortSignal;
  /** Of the item in the batch, from 0. */
  readonly index: number;
  /** 1 for the first run of the item, higher after it threw. */
  readonly attempt: number;
  /** Id of the task that runs the item: the batch's, or that of a chunk of it. */
  readonly taskId: string;
  /** Id of whoever owns the batch. */
  readonly principal: string;
  readonly log: ToolLog;
}

export type ItemFunction<Item, Result> = (item: Item, ctx: ItemContext) => MaybePromise<Result>;

/** Which outcomes are kept: values and failures, or failures only. They are counted in any case. */
export type ResultMode = 'all' | 'failures_only' | 'summary';

export interface MapOptions {
  /**
   * Names the batch within its task: a later attempt that maps under the same key goes on where the earlier
   * one was. Without it, batches are named by the order of the calls.
   */
  readonly key?: string;
  /** Items per chunk, 1 to 10,000. Left out, it follows from how long the items take. */
  readonly chunk?: number;
  /** Items run at once, over all workers, 1 to 1,000. Left out: 32 of a named function or tool, 1 of a function in place. */
  readonly concurrency?: number;
  /** Runs of an item before its error counts; 1 unless said otherwise, that of the tool for tools. */
  readonly itemAttempts?: number;
  /** Longest run of an item, in milliseconds; none unless said otherwise, that of the tool for tools. */
  readonly itemTimeoutMs?: number;
  /** After so many failed items nothing more is started, and the batch ends `stopped`. */
  readonly stopAfterFailures?: number;
  /** `all` unless said otherwise. */
  readonly resultMode?: ResultMode;
}

export interface BatchSummary {
  /** Items that were stored. */
  readonly total: number;
  readonly done: number;
  readonly failed: number;
  /** Items that were not run, because the batch was stopped. */
  readonly skipped: number;
  /** It ended early, after `stopAfterFailures`. */
  readonly stopped: boolean;
}

/** An item that returned. */
export interface DoneItem<Result> {
  readonly index: number;
  readonly ok: true;
  readonly value: Result;
  readonly attempts: number;
}

/** An item that threw, ran out of time, or did not fit. */
export interface FailedItem {
  readonly index: number;
  readonly ok: false;
  readonly error: { readonly code: string; readonly message: string };
  readonly attempts: number;
}

export type ItemResult<Result> = DoneItem<Result> | FailedItem;

/** A batch that has ended. Iterating it gives what is kept of its items, in their order. */
export interface Batch<Result> extends AsyncIterable<ItemResult<Result>> {
  summary(): BatchSummary;
  /** The failed items, in order. */
  failures(): AsyncIterable<FailedItem>;
}

/**
 * A batch under way. Awaited, it is the batch at its end; iterated, it gives what is kept of its items in
 * their order, each as soon as it and all before it are through.
 */
export type MapRun<Result> = Promise<Batch<Result>> & AsyncIterable<ItemResult<Result>>;

/** What a tool known by its name only gave: structured content, one text, or content blocks. */
export type ToolValue = Json | ContentResult;

export interface CallOptions {
  /**
   * Names the call within its task: a later attempt that calls the same under the same key gets the result
   * that is there, or waits on. Without it, calls are named by their order.
   */
  readonly key?: string;
}
