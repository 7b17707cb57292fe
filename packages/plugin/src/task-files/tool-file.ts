import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { FileLink } from './file-link.ts';

/** Where a host takes the bytes of one file. */
export interface FileSink {
  /** Resolves when there is room for more. */
  write(chunk: Uint8Array): Promise<void>;
  /** Makes the file readable, in place of an earlier one of its name. */
  close(): Promise<void>;
  /** Nothing of the file stays. Called instead of `close`, or after it has failed; never rejects. */
  abort(): Promise<void>;
}

/** What is written at once: text, bytes, or as many of either as it takes. */
export type FileContent =
  | string
  | Uint8Array
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/**
 * A file that a tool makes. It is a stream to write to, as slow as the store is, and readable by clients
 * once it is finished; destroyed before, it has never been there.
 */
export class ToolFile extends Writable {
  /** For the result of the tool, once the file is finished; a worker adds it there by itself. */
  readonly link: FileLink;
  readonly #open: () => Promise<FileSink>;
  #sink: FileSink | null = null;
  #isClosed = false;

  constructor(link: FileLink, open: () => Promise<FileSink>) {
    super({ decodeStrings: true });
    this.link = link;
    this.#open = open;
    // Whoever waits for the stream is told; nobody has to listen, least of all after a cancellation.
    this.on('error', () => {});
  }

  /**
   * Writes all of it and finishes the file.
   * @returns what names the file to clients
   */
  async save(content: FileContent): Promise<FileLink> {
    const isWhole = typeof content === 'string' || content instanceof Uint8Array;
    await pipeline(Readable.from(isWhole ? [content] : content, { objectMode: true }), this);
    return this.link;
  }

  override _write(chunk: Uint8Array, _encoding: string, done: (error?: Error) => void): void {
    this.#opened()
      .then((sink) => sink.write(chunk))
      .then(() => done(), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.#opened()
      .then((sink) => sink.close())
      .then(() => {
        this.#isClosed = true;
        done();
      }, done);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    if (this.#sink === null || this.#isClosed) done(error);
    else void this.#sink.abort().then(() => done(error));
  }

  async #opened(): Promise<FileSink> {
    this.#sink ??= await this.#open();
    return this.#sink;
  }
}
