import type { BatchId, TaskId } from './brand.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { Outcome } from './outcome.ts';
import type { EndedTask, Fence } from './task-store.ts';

/** Why an item failed. `code` is the one of the error, else one of ours, such as ITEM_TIMEOUT. */
export interface ItemError {
  readonly code: string;
  readonly message: string;
}

/** What came of an item. A tuple, for there may be millions: place in its chunk, attempts, value or error. */
export type ItemOutcome =
  | readonly [offset: number, attempts: number, value: JsonValue]
  | readonly [offset: number, attempts: number, value: null, error: ItemError];

/** How far a batch was stored. */
export interface BatchState {
  readonly id: BatchId;
  readonly chunks: number;
  readonly items: number;
  /** All its items are stored. */
  readonly sealed: boolean;
  readonly stopped: boolean;
}

/** Some items of a batch. */
export interface NewChunk {
  readonly position: number;
  readonly firstItem: number;
  readonly size: number;
  /** JSON text of an array of the items. */
  readonly items: string;
  /** Index of each item in the batch that it is tried again of; empty: of none. */
  readonly sourceIndexes: readonly number[];
  /** The task that is to run it; null: the batch's own task does. */
  readonly task: { readonly id: TaskId; readonly arguments: JsonObject } | null;
}

/** A task that a running task starts. It lives as long as that one. */
export interface NewChild {
  readonly id: TaskId;
  readonly toolName: string;
  readonly arguments: JsonObject;
  readonly queue: string;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  /** Runs of the tool at once over all workers; null: as many as there are seats. */
  readonly toolLimit: number | null;
  /** Where it was started in a distributed trace; null or left out: it is not traced. */
  readonly traceContext?: string | null;
}

/** Chunks of one batch, and how far it is stored with them. */
export interface NewChunks {
  readonly batchId: BatchId;
  readonly chunks: readonly NewChunk[];
  /** Of the whole batch, these chunks included. */
  readonly storedChunks: number;
  readonly storedItems: number;
  readonly sealed: boolean;
  /** How the tasks of the chunks are run. */
  readonly policy: Pick<NewChild, 'toolName' | 'queue' | 'maxAttempts' | 'timeoutMs' | 'toolLimit'>;
  /** Of the tasks of the chunks; null or left out: they are not traced. */
  readonly traceContext?: string | null;
}

export interface ChunkState {
  readonly position: number;
  readonly taskId: TaskId | null;
  readonly firstItem: number;
  readonly size: number;
  readonly done: number;
  readonly failed: number;
  /** Its task has ended, with or without it. */
  readonly isEnded: boolean;
  /** What the task said at its end, such as why it was given up. */
  readonly statusMessage: string | null;
  /** How long the task has run, when it has ended well; null: not known. */
  readonly ranMs: number | null;
  /** Of its outcomes, as they are stored. */
  readonly bytes: number;
}

/** How far a batch is at one moment, also while its chunks run. */
export interface BatchProgress {
  /** Items, those of open chunks included. */
  readonly done: number;
  readonly failed: number;
  /** Chunks with items that have no outcome, in order. */
  readonly open: readonly ChunkState[];
}

/** Outcomes of a chunk, in the order in which they came. */
export interface ChunkOutcomes {
  readonly position: number;
  readonly firstItem: number;
  readonly size: number;
  /** As of NewChunk. */
  readonly sourceIndexes: readonly number[];
  readonly outcomes: readonly ItemOutcome[];
}

export interface ChunkContent extends ChunkOutcomes {
  readonly items: readonly JsonValue[];
  /** Saves so far. */
  readonly saves: number;
}

/** What is saved of a chunk at once. */
export interface ChunkProgress {
  readonly batchId: BatchId;
  readonly position: number;
  /** 1 for the first save: saving the same again changes nothing. */
  readonly save: number;
  /** JSON text of an array of ItemOutcome. */
  readonly outcomes: string;
  /** Of the whole chunk, these included. */
  readonly done: number;
  readonly failed: number;
}

/**
 * What a worker does with batches and other tasks that a running task starts. All writes are fenced: they are
 * refused (false, null) when the attempt that they name is not the current one of its task.
 */
export interface BatchStore {
  /** Makes the batch unless an earlier attempt has. @returns null when refused */
  open(fence: Fence, batchId: BatchId, key: string): Promise<BatchState | null>;
  /** Stores chunks, with a task for each that is to run by itself; what is stored stays as it is. */
  storeChunks(fence: Fence, chunks: NewChunks): Promise<boolean>;
  /** Notes that the batch ended early. */
  stop(fence: Fence, batchId: BatchId): Promise<boolean>;
  /** Null: there is no such chunk, any more. */
  chunk(batchId: BatchId, position: number): Promise<ChunkContent | null>;
  /** Saves outcomes of items, for the attempt that runs the chunk. */
  save(fence: Fence, progress: ChunkProgress): Promise<boolean>;
  /** How these chunks stand, in order. */
  chunks(batchId: BatchId, positions: readonly number[]): Promise<ChunkState[]>;
  progress(batchId: BatchId): Promise<BatchProgress>;
  /** Outcomes of `limit` chunks from `position` on, in order. */
  outcomes(batchId: BatchId, position: number, limit: number): Promise<ChunkOutcomes[]>;
  /** Starts a task, unless it was started before. The abilities of the client are those of the task that starts it. */
  startChild(fence: Fence, child: NewChild): Promise<boolean>;
  /** What came of a child; null: it is open. */
  childOutcome(
    parent: TaskId,
    child: TaskId,
  ): Promise<Outcome | { readonly kind: 'cancelled' } | null>;
  /**
   * Cancels what a task has started and what that has, once the task has ended. Of an open one nothing, whoever asks:
   * its next attempt goes on with them.
   */
  cancelDescendants(task: TaskId): Promise<EndedTask[]>;
  /** Cancels some of what a running task has started, and what that has; nothing when refused. */
  cancelChildren(fence: Fence, children: readonly TaskId[]): Promise<EndedTask[]>;
}
