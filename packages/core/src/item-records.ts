import type { ItemOutcome } from './batch-store.ts';
import type { BatchId, PrincipalId, TaskId } from './brand.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Which items of a batch are meant, by what came of them. */
export const ITEM_STATUSES = ['all', 'done', 'failed'] as const;
export type ItemStatus = (typeof ITEM_STATUSES)[number];

/** Where in a batch to go on: at this offset of this chunk. */
export interface ItemPlace {
  readonly position: number;
  readonly offset: number;
}

/** A batch of a task, as its owner knows it. */
export interface OwnedBatch {
  readonly id: BatchId;
  readonly key: string;
}

export interface OwnedBatches {
  /** Nothing of the items changes any more: the task has ended, and so have those that ran its chunks. */
  readonly isSettled: boolean;
  /** The task has more than these, and the first of its batches is not all there is. */
  readonly areSeveral: boolean;
  /** The oldest first. */
  readonly batches: readonly OwnedBatch[];
}

/** An item that is through: its index in the batch, and what came of it. */
export type ReadItem = readonly [index: number, outcome: ItemOutcome];

export interface ItemSlice {
  readonly items: readonly ReadItem[];
  /** Null: nothing more is there, so far. */
  readonly next: ItemPlace | null;
}

/** How much is read at once. At least one item is, however large. */
export interface SliceLimits {
  /** Bytes of the items' JSON. */
  readonly bytes: number;
  /** Added to the bytes of each item, for what is put around it. */
  readonly overheadBytes: number;
}

/** A batch that can be run again in part. */
export interface EndedBatch extends OwnedBatch {
  /** Items that are stored. */
  readonly items: number;
  /** No item was left unread when it ended. */
  readonly sealed: boolean;
  /** What its items were for, as the tasks of its chunks say; null: for none of a name, or it had no items. */
  readonly target: { readonly toolName: string; readonly arguments: JsonObject } | null;
}

/** A task that has batches, and what it was called with. */
export interface BatchTask {
  readonly toolName: string;
  readonly arguments: JsonObject;
  /** As of OwnedBatches. */
  readonly isSettled: boolean;
  readonly hasEnded: boolean;
  /** The oldest first, `MOST_BATCHES` at most. */
  readonly batches: readonly EndedBatch[];
}

/** A batch in numbers, also while it runs. */
export interface CountedBatch extends OwnedBatch {
  /** Items that are stored. */
  readonly items: number;
  readonly done: number;
  readonly failed: number;
  /** It ended early, after too many failures. */
  readonly stopped: boolean;
  /** What its items are for, by which they can be run again; null: none of a name. */
  readonly toolName: string | null;
}

export interface CountedBatches {
  /** As of OwnedBatches. */
  readonly isSettled: boolean;
  /** The oldest first, `MOST_BATCHES` at most; none: the task has no batch, so far. */
  readonly batches: readonly CountedBatch[];
}

/** An item with its index, to be run again. */
export type StoredItem = readonly [index: number, item: JsonValue];

export interface StoredItems {
  readonly items: readonly StoredItem[];
  /** Position of the chunk to go on with; null: these were the last. */
  readonly next: number | null;
}

/**
 * What came of the items of tasks, for their owners. Null: the task is unknown, expired or somebody else's, or
 * has no such batch.
 */
export interface ItemRecords {
  /**
   * Some batches of a task, from one on.
   * @param key of the only one that is wanted; null: all are
   * @param from null: from the first on
   */
  batches(
    taskId: TaskId,
    owner: PrincipalId,
    key: string | null,
    from: BatchId | null,
  ): Promise<OwnedBatches | null>;
  /** Items of a batch in order, from a place on. May be empty where more follow. */
  items(
    taskId: TaskId,
    owner: PrincipalId,
    batchId: BatchId,
    status: ItemStatus,
    from: ItemPlace,
    limits: SliceLimits,
  ): Promise<ItemSlice | null>;
  /** How many items came to what. It looks at the counts of all chunks. Null: as above, but a task without a batch has none. */
  counts(taskId: TaskId, owner: PrincipalId): Promise<CountedBatches | null>;
  /** What is known of a task whose items may be run again. */
  batchTask(taskId: TaskId, owner: PrincipalId): Promise<BatchTask | null>;
  /**
   * Items to be run again, in order, of some chunks from a position on.
   * @param withSkipped those that were never run as well as those that failed
   */
  storedItems(
    taskId: TaskId,
    owner: PrincipalId,
    batchId: BatchId,
    withSkipped: boolean,
    position: number,
  ): Promise<StoredItems | null>;
}
