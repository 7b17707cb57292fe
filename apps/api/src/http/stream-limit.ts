import { LongshoreError, type PrincipalId, type SessionId } from '@longshore/core';

/** A legacy session, or the principal of modern requests. */
type Holder = SessionId | PrincipalId;

/** Nobody knows when one ends. */
const RETRY_AFTER_MS = 1_000;

/** Counts what each session or principal holds open in this process. */
export class StreamLimit {
  readonly #open = new Map<Holder, number>();

  /**
   * Takes a place, of `max` that there are; the returned function gives it back.
   * @throws {LongshoreError} TOO_MANY_STREAMS
   */
  take(holder: Holder, max: number): () => void {
    const open = this.#open.get(holder) ?? 0;
    if (open >= max) {
      throw new LongshoreError(
        'TOO_MANY_STREAMS',
        `${open} requests are held open at this server, the limit; end some first`,
        { details: { retryAfterMs: RETRY_AFTER_MS } },
      );
    }
    this.#open.set(holder, open + 1);
    return () => {
      const left = (this.#open.get(holder) ?? 1) - 1;
      if (left > 0) this.#open.set(holder, left);
      else this.#open.delete(holder);
    };
  }
}
