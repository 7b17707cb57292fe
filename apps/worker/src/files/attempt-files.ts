import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import type { FileFacts, FileRecords, FileStore, Logger, TaskFile } from '@longshore/core';
import { type FileLimits, ToolError } from '@longshore/plugin';
import { type FileSink, fileExcess } from '@longshore/plugin/host';
import type { RunningAttempt } from '../run/running-attempt.ts';
import { within } from '../run/store-call.ts';

export interface AttemptFilesOptions {
  readonly store: FileStore;
  readonly records: Pick<FileRecords, 'open' | 'keep' | 'drop' | 'list'>;
  readonly limits: FileLimits;
  readonly log: Logger;
}

/** Files one task may have, and may have under way at once; each of the latter may hold a part of S3 in memory. */
const MAX_FILES = 1_000;
const MAX_OPEN_FILES = 8;

const LIST_TIMEOUT_MS = 10_000;

/** The files of one attempt, from the first byte until they are readable. */
export class AttemptFiles {
  readonly #attempt: RunningAttempt;
  readonly #options: AttemptFilesOptions;
  readonly #open = new Set<OpenFile>();
  readonly #saved = new Map<string, TaskFile>();
  #count = 0;
  #isOver = false;

  constructor(attempt: RunningAttempt, options: AttemptFilesOptions) {
    this.#attempt = attempt;
    this.#options = options;
  }

  /**
   * @throws {ToolError} too many files
   * @throws when the attempt is over, or no longer the current one
   */
  async open(facts: FileFacts): Promise<FileSink> {
    this.#attempt.signal.throwIfAborted();
    if (this.#isOver) throw new Error('the attempt has ended');
    if (this.#count >= MAX_FILES) throw new ToolError(`A task makes ${MAX_FILES} files at most.`);
    if (this.#open.size >= MAX_OPEN_FILES) {
      throw new ToolError(`${MAX_OPEN_FILES} files are open: finish some of them first.`);
    }
    this.#count += 1;
    const file = new OpenFile(this.#attempt, facts, this.#options, (saved) => {
      this.#open.delete(file);
      if (saved !== null) this.#saved.set(saved.name, saved);
    });
    this.#open.add(file);
    await file.begin();
    return file;
  }

  /** Gives up what the tool has not finished. */
  async close(): Promise<void> {
    this.#isOver = true;
    await Promise.all([...this.#open].map((file) => file.abort()));
  }

  /** The files of the task, by name: those of this attempt, and of earlier ones as far as they can be read. */
  async saved(): Promise<TaskFile[]> {
    const { records, log } = this.#options;
    const { taskId, attempt: number } = this.#attempt.claim;
    const own = [...this.#saved.values()];
    if (number === 1) return own;
    try {
      return await within(LIST_TIMEOUT_MS, records.list(taskId, MAX_FILES), 'listing files');
    } catch (err) {
      log.warn({ taskId, err }, 'files of earlier attempts are not linked');
      return own;
    }
  }
}

/** One file on its way to the store. */
class OpenFile implements FileSink {
  readonly #attempt: RunningAttempt;
  readonly #facts: FileFacts;
  readonly #options: AttemptFilesOptions;
  readonly #done: (saved: TaskFile | null) => void;
  readonly #bytes = new PassThrough();
  readonly #hash = createHash('sha256');
  readonly #abort = new AbortController();
  #key: string | null = null;
  /** Of other files of the principal, when this one was opened. */
  #keptBytes = 0;
  #size = 0;
  #stored: Promise<void> = Promise.resolve();
  #failure: unknown = null;
  #ended: Promise<void> | null = null;

  constructor(
    attempt: RunningAttempt,
    facts: FileFacts,
    options: AttemptFilesOptions,
    done: (saved: TaskFile | null) => void,
  ) {
    this.#attempt = attempt;
    this.#facts = facts;
    this.#options = options;
    this.#done = done;
    this.#bytes.on('error', () => {});
  }

  async begin(): Promise<void> {
    const { records, store } = this.#options;
    try {
      const opened = await records.open(this.#attempt.claim, this.#facts);
      if (opened === null) throw this.#lost();
      this.#key = opened.key;
      this.#keptBytes = opened.keptBytes;
    } catch (error) {
      this.#done(null);
      throw error;
    }
    this.#attempt.signal.addEventListener('abort', this.#follow, { once: true });
    if (this.#attempt.signal.aborted) this.#follow();
    this.#stored = store.write(this.#key, this.#bytes, this.#abort.signal);
    this.#stored.catch((error: unknown) => {
      this.#failure ??= error;
      this.#bytes.destroy();
    });
  }

  async write(chunk: Uint8Array): Promise<void> {
    this.#throwIfFailed();
    this.#size += chunk.length;
    this.#failure = fileExcess(
      this.#facts.name,
      { fileBytes: this.#size, principalBytes: this.#keptBytes + this.#size },
      this.#options.limits,
    );
    this.#throwIfFailed();
    this.#hash.update(chunk);
    if (this.#bytes.write(chunk)) return;
    await drained(this.#bytes);
    this.#throwIfFailed();
  }

  async close(): Promise<void> {
    this.#throwIfFailed();
    this.#bytes.end();
    await this.#stored;
    const key = this.#key ?? '';
    const file = { key, size: this.#size, sha256: this.#hash.digest('hex') };
    this.#attempt.signal.throwIfAborted();
    if (!(await this.#options.records.keep(this.#attempt.claim, file))) throw this.#lost();
    this.#release({ ...this.#facts, ...file });
  }

  abort(): Promise<void> {
    this.#ended ??= this.#giveUp();
    return this.#ended;
  }

  readonly #follow = (): void => {
    this.#failure ??= this.#attempt.signal.reason;
    this.#abort.abort(this.#attempt.signal.reason);
    this.#bytes.destroy();
  };

  async #giveUp(): Promise<void> {
    this.#release(null);
    this.#abort.abort(new Error('the file was given up'));
    this.#bytes.destroy();
    await this.#stored.catch(() => {});
    if (this.#key === null) return;
    try {
      await this.#options.records.drop(this.#key);
    } catch (err) {
      // Then the sweeper finds it once the attempt is over.
      this.#options.log.warn({ taskId: this.#attempt.claim.taskId, err }, 'file not given up');
    }
  }

  #release(saved: TaskFile | null): void {
    this.#attempt.signal.removeEventListener('abort', this.#follow);
    this.#done(saved);
  }

  #throwIfFailed(): void {
    if (this.#failure !== null) throw this.#failure;
  }

  #lost(): Error {
    this.#attempt.abort('lost');
    return new Error(`attempt ${this.#attempt.claim.attempt} is not the current one`);
  }
}

/** Resolves when there is room again, also when there will never be any. */
function drained(stream: PassThrough): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      stream.off('drain', over).off('close', over);
      resolve();
    };
    stream.on('drain', over).on('close', over);
  });
}
