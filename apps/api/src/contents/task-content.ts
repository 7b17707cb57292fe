import type { ByteRange } from '@longshore/core';

/** Something of a task that can be read, for its owner. */
export interface TaskContent {
  /** For whoever saves it. */
  readonly name: string;
  readonly mimeType: string;
  /** In bytes; null: `measure` would say. */
  readonly size: number | null;
  /** Changes when the bytes do; null: they still come in. */
  readonly version: string | null;
  /** Finds out the size, which may take as long as to read all of it. @throws the signal's reason */
  measure(signal: AbortSignal): Promise<number>;
  /** The bytes of a range within it. Leaving the loop early lets go of everything. */
  read(range: ByteRange, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** One whose size is known from the beginning. */
export interface SizedContent extends TaskContent {
  readonly size: number;
}
