/** How `eachLimited` goes about it. */
export interface EachLimitedOptions {
  /** Items worked on at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
}

/**
 * Works through items in their order, several at once. After the first error no further item is begun; it
 * rejects with that error once those that had begun have ended.
 *
 * @throws the signal's reason when it fires
 */
export async function eachLimited<Item>(
  items: Iterable<Item>,
  { concurrency, signal }: EachLimitedOptions,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const iterator = items[Symbol.iterator]();
  let stopped = false;
  const lane = async (): Promise<void> => {
    try {
      while (!stopped) {
        signal.throwIfAborted();
        const next = iterator.next();
        if (next.done === true) return;
        await work(next.value);
      }
    } catch (error) {
      stopped = true;
      throw error;
    }
  };
  const lanes = await Promise.allSettled(Array.from({ length: concurrency }, lane));
  const failed = lanes.find(({ status }) => status === 'rejected');
  if (failed?.status === 'rejected') throw failed.reason;
}
