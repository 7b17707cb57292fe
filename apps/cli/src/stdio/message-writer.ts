import type { Writable } from 'node:stream';
import { asWritten, type CarriedId } from '../wire/carried-id.ts';

/** Writes JSON-RPC messages to a host, a line each and whole, in the order they are given. */
export class MessageWriter {
  readonly #output: Writable;
  readonly #gone = new AbortController();

  constructor(output: Writable) {
    this.#output = output;
    output.on('error', () => this.#gone.abort());
    output.on('close', () => this.#gone.abort());
  }

  /** Fires when the host reads no more. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Resolves when there is room for more; who waits for it reads no faster than the host does.
   *
   * @param id of the request that the message belongs to; null: of none
   */
  write(message: unknown, id: CarriedId | null): Promise<void> {
    if (this.#gone.signal.aborted) return Promise.resolve();
    const line = id === null ? JSON.stringify(message) : asWritten(message, id);
    return new Promise((resolve) => {
      this.#output.write(`${line}\n`, () => resolve());
    });
  }
}
