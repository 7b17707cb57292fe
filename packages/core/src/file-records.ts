import type { PrincipalId, TaskId } from './brand.ts';
import type { Fence } from './task-store.ts';

/** What the author of a tool says about a file. */
export interface FileFacts {
  readonly name: string;
  readonly mimeType: string;
}

/** A file that is there whole. */
export interface TaskFile extends FileFacts {
  /** Key of its bytes in the file store: each version has its own. */
  readonly key: string;
  /** In bytes. */
  readonly size: number;
  /** Of its bytes, in hexadecimal. */
  readonly sha256: string;
}

/** A file whose bytes are about to come. */
export interface OpenedFile {
  /** Of its bytes in the file store. */
  readonly key: string;
  /** What the readable files of its principal take already, in bytes. */
  readonly keptBytes: number;
}

/** The whole result of a task, as its tool gave it. */
export interface StoredResult {
  /** Bytes of its JSON in UTF-8. */
  readonly size: number;
}

/**
 * The files of tasks. A row comes before the first byte and goes after the last one, so whatever dies, no
 * bytes are left that nobody knows of.
 */
export interface FileRecords {
  /**
   * Notes that bytes are about to come. Fenced.
   * @returns null when the attempt is not the current one
   */
  open(fence: Fence, facts: FileFacts): Promise<OpenedFile | null>;
  /**
   * Makes the file readable, in place of an earlier one of this name. Fenced.
   * @returns false when the attempt is not the current one: then `drop` it
   */
  keep(fence: Fence, file: Pick<TaskFile, 'key' | 'size' | 'sha256'>): Promise<boolean>;
  /** Gives up a file that was opened and not kept. */
  drop(key: string): Promise<void>;
  /** The readable files of a task, by name; `limit` at most. */
  list(taskId: TaskId, limit: number): Promise<TaskFile[]>;
  /** For its owner; null when it, or the task, is unknown, expired or somebody else's. */
  find(taskId: TaskId, owner: PrincipalId, name: string): Promise<TaskFile | null>;
  /** Likewise; null as well when the task has not ended with a result. */
  findResult(taskId: TaskId, owner: PrincipalId): Promise<StoredResult | null>;
  /** Bytes of a result from `start` on; null when it is gone by now. */
  readResult(
    taskId: TaskId,
    owner: PrincipalId,
    start: number,
    length: number,
  ): Promise<Uint8Array | null>;
  /**
   * Keys of files nobody wants any more: replaced, given up, or of a task that is gone. Each is not given out again
   * for `retryInMs`.
   */
  pickUnwanted(limit: number, retryInMs: number): Promise<string[]>;
  /** Those of the ids that are of no task any more. */
  withoutTask(ids: readonly string[]): Promise<string[]>;
  /** Forgets files whose bytes are gone. */
  forget(keys: readonly string[]): Promise<void>;
}
