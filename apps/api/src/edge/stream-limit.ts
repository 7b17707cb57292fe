import { LongshoreError, type PrincipalId } from '@longshore/core';

/** Nobody knows when one ends. */
const RETRY_AFTER_MS = 1_000;

/** Counts the requests and streams that each principal holds open in this process, over all its sessions and both eras. */
export class StreamLimit {
  readonly #open = new Map<PrincipalId, number>();
  #total = 0;

  /** Of all principals. */
  get open(): number {
    return this.#total;
  }

  /**
   * Takes a place, of `max` that there are; the returned function gives it back.
   * @throws {LongshoreError} TOO_MANY_STREAMS
   */
  take(holder: PrincipalId, max: number): () => void {
    const open = this.#open.get(holder) ?? 0;
    if (open >= max) {
      throw new LongshoreError(
        'TOO_MANY_STREAMS',
        `${open} requests and streams are held open at this server, the limit; end some first`,
        { details: { retryAfterMs: RETRY_AFTER_MS } },
      );
    }
    this.#open.set(holder, open + 1);
    this.#total += 1;
    return () => {
      this.#total -= 1;
      const left = (this.#open.get(holder) ?? 1) - 1;
      if (left > 0) this.#open.set(holder, left);
      else this.#open.delete(holder);
    };
  }
}
