import type { FileHandle } from 'node:fs/promises';

/**
 * A regular file inside the allowed directories, open for reading. Read it through `handle` only: a
 * path can come to mean another file after the check, an open handle can not.
 */
export interface AllowedFile {
  /** For messages and results: relative to the directory that allows it, with `/`. */
  readonly name: string;
  /** Absolute, free of symbolic links, as it was when the file was opened. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAt: Date;
  readonly handle: FileHandle;
  /** Close it when done. May be called twice. */
  close(): Promise<void>;
}

/** A file that a listing found. It is checked again when it is opened. */
export interface ListedFile {
  /** Hand it to `open`. */
  readonly name: string;
  readonly sizeBytes: number;
}
