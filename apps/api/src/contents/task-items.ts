import type {
  BatchTask,
  CountedBatches,
  ItemRecords,
  OwnedBatch,
  OwnedBatches,
  PrincipalId,
  ReadItem,
  SliceLimits,
  TaskId,
} from '@longshore/core';
import type { ItemCursor } from '@longshore/protocol';
import type { WantedItems } from './items-address.ts';

/** Some items of one batch, in order. */
export interface ItemsSlice {
  readonly items: readonly ReadItem[];
  /** Of the batch, where the task has several and they are not told apart by the address; else null. */
  readonly batchKey: string | null;
  /** Where these begin. */
  readonly from: ItemCursor;
  /** Where to go on; null: nothing more is there, so far. */
  readonly next: ItemCursor | null;
  /** Nothing of the items changes any more. */
  readonly isSettled: boolean;
}

/** The items of tasks, by owner: all batches of a task, the oldest first, each in its order. */
export class TaskItems {
  readonly #records: ItemRecords;

  constructor(records: ItemRecords) {
    this.#records = records;
  }

  /** Null when the task is unknown, expired or somebody else's, or has no such batch, so far. */
  find(wanted: WantedItems, owner: PrincipalId): Promise<OwnedBatches | null> {
    return this.#records.batches(wanted.taskId, owner, wanted.key, null);
  }

  /** How many items came to what. Null: the task is unknown, expired or somebody else's. */
  counts(taskId: TaskId, owner: PrincipalId): Promise<CountedBatches | null> {
    return this.#records.counts(taskId, owner);
  }

  /** What is known of a task whose items may be run again. Null as `find`. */
  findTask(taskId: TaskId, owner: PrincipalId): Promise<BatchTask | null> {
    return this.#records.batchTask(taskId, owner);
  }

  /**
   * Reads items from a place on, a slice at a time, each when it is asked for. A slice may be empty.
   *
   * @param from null: from the first one on
   * @param limits of the next slice, whose batch has this key (ItemsSlice)
   * @throws the signal's reason; ItemsGone when there is no such place, any more
   */
  async *slices(
    { taskId, status, key }: WantedItems,
    owner: PrincipalId,
    from: ItemCursor | null,
    limits: (batchKey: string | null) => SliceLimits,
    signal: AbortSignal,
  ): AsyncGenerator<ItemsSlice> {
    for (let place = from, isFirst = true; isFirst || place !== null; isFirst = false) {
      signal.throwIfAborted();
      const found = await this.#records.batches(taskId, owner, key, place?.batchId ?? null);
      const [batch, following] = found?.batches ?? [];
      if (found === null || batch === undefined) throw new ItemsGone();
      const batchKey = found.areSeveral ? batch.key : null;
      let start: ItemCursor | null = place ?? startOf(batch);
      while (start !== null) {
        signal.throwIfAborted();
        const most = limits(batchKey);
        const slice = await this.#records.items(taskId, owner, batch.id, status, start, most);
        if (slice === null) throw new ItemsGone();
        const next: ItemCursor | null =
          slice.next === null ? null : { batchId: batch.id, ...slice.next };
        place = next ?? (following === undefined ? null : startOf(following));
        yield {
          items: slice.items,
          batchKey,
          from: start,
          next: place,
          isSettled: found.isSettled,
        };
        start = next;
      }
    }
  }
}

/** The task has expired while its items were read, or a cursor was of another task. */
export class ItemsGone extends Error {
  override readonly name = 'ItemsGone';

  constructor() {
    super('the items are gone while they are read');
  }
}

const startOf = ({ id }: OwnedBatch): ItemCursor => ({ batchId: id, position: 0, offset: 0 });
