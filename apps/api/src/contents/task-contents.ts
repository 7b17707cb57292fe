import { createHash } from 'node:crypto';
import type {
  ByteRange,
  FileRecords,
  FileStore,
  ItemRecords,
  PrincipalId,
  TaskFile,
  TaskId,
} from '@longshore/core';
import type { ContentAddress } from '../tasks/task-uri.ts';
import { RecentMap } from '../watch/recent-map.ts';
import type { ItemFormat, WantedItems } from './items-address.ts';
import { itemsDownload, type MeasuredFiles } from './items-download.ts';
import type { SizedContent, TaskContent } from './task-content.ts';
import type { TaskHistories } from './task-history.ts';
import { TaskItems } from './task-items.ts';

/** Of a result, fetched at once. */
const SLICE_BYTES = 262_144;

/** Files made of items whose sizes are remembered, with places in each. */
const MEASURED_FILES = 100;

/** Results, files, items and histories of tasks, by owner. */
export class TaskContents {
  readonly items: TaskItems;
  readonly #histories: TaskHistories;
  readonly #records: FileRecords;
  readonly #store: FileStore;
  readonly #measured: MeasuredFiles = new RecentMap(MEASURED_FILES);

  constructor(options: {
    records: FileRecords;
    store: FileStore;
    items: ItemRecords;
    histories: TaskHistories;
  }) {
    this.#records = options.records;
    this.#store = options.store;
    this.items = new TaskItems(options.items);
    this.#histories = options.histories;
  }

  /** The items of a task as a file. Null as `find`. */
  async findItems(
    wanted: WantedItems,
    format: ItemFormat,
    owner: PrincipalId,
  ): Promise<TaskContent | null> {
    const { items } = this;
    const found = await items.find(wanted, owner);
    if (found === null) return null;
    return itemsDownload({ items, found, wanted, owner, format, measured: this.#measured });
  }

  /** The readable files of a task that its reader may see, by name. */
  files(taskId: TaskId, limit: number): Promise<readonly TaskFile[]> {
    return this.#records.list(taskId, limit);
  }

  /** Null when it is unknown, expired, somebody else's or not there yet. */
  async find(address: ContentAddress, owner: PrincipalId): Promise<SizedContent | null> {
    const { taskId, content } = address;
    if (content.kind === 'history') return this.#history(taskId, owner);
    if (content.kind === 'result') {
      const result = await this.#records.findResult(taskId, owner);
      if (result === null) return null;
      const { size } = result;
      return {
        name: 'result.json',
        mimeType: 'application/json',
        size,
        measure: () => Promise.resolve(size),
        // A result never changes.
        version: `${taskId}-${size}`,
        read: (range, signal) => this.#readResult(address, owner, range, signal),
      };
    }
    const file = await this.#records.find(taskId, owner, content.name);
    if (file === null) return null;
    const { name, mimeType, size, sha256, key } = file;
    const read = (range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array> =>
      this.#store.read(key, range, signal);
    const measure = (): Promise<number> => Promise.resolve(size);
    return { name, mimeType, size, version: sha256, measure, read };
  }

  /** As it is now, whatever happens while it is read. */
  async #history(taskId: TaskId, owner: PrincipalId): Promise<SizedContent | null> {
    const history = await this.#histories.find(taskId, owner);
    if (history === null) return null;
    const bytes = Buffer.from(JSON.stringify(history));
    return {
      name: 'history.json',
      mimeType: 'application/json',
      size: bytes.length,
      version: createHash('sha256').update(bytes).digest('hex'),
      measure: () => Promise.resolve(bytes.length),
      read: async function* ({ start, end }) {
        yield bytes.subarray(start, Math.min(end, bytes.length));
      },
    };
  }

  async *#readResult(
    { taskId }: ContentAddress,
    owner: PrincipalId,
    { start, end }: ByteRange,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    for (let position = start; position < end; ) {
      signal.throwIfAborted();
      const length = Math.min(SLICE_BYTES, end - position);
      const bytes = await this.#records.readResult(taskId, owner, position, length);
      if (bytes === null || bytes.length === 0) {
        throw new Error('the result is gone while it is read');
      }
      position += bytes.length;
      yield bytes;
    }
  }
}
