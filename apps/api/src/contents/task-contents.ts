import type { ByteRange, FileRecords, FileStore, PrincipalId } from '@longshore/core';
import type { ContentAddress } from './task-uri.ts';

/** Something of a task that can be read, for its owner. */
export interface TaskContent {
  /** For whoever saves it. */
  readonly name: string;
  readonly mimeType: string;
  /** In bytes. */
  readonly size: number;
  /** Changes when the bytes do. */
  readonly version: string;
  /** The bytes of a range within it. Leaving the loop early lets go of everything. */
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Of a result, fetched at once. */
const SLICE_BYTES = 262_144;

/** Results and files of tasks, by owner. */
export class TaskContents {
  readonly #records: FileRecords;
  readonly #store: FileStore;

  constructor(options: { records: FileRecords; store: FileStore }) {
    this.#records = options.records;
    this.#store = options.store;
  }

  /** Null when it is unknown, expired, somebody else's or not there yet. */
  async find(address: ContentAddress, owner: PrincipalId): Promise<TaskContent | null> {
    const { taskId, content } = address;
    if (content.kind === 'result') {
      const result = await this.#records.findResult(taskId, owner);
      if (result === null) return null;
      return {
        name: 'result.json',
        mimeType: 'application/json',
        size: result.size,
        // A result never changes.
        version: `${taskId}-${result.size}`,
        read: (range, signal) => this.#readResult(address, owner, range, signal),
      };
    }
    const file = await this.#records.find(taskId, owner, content.name);
    if (file === null) return null;
    const { name, mimeType, size, sha256, key } = file;
    const read = (range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array> =>
      this.#store.read(key, range, signal);
    return { name, mimeType, size, version: sha256, read };
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
