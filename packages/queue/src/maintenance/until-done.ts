/**
 * Works in batches until one was not full, or `signal` fires.
 *
 * @param batch handles up to `size` rows and says how many
 * @returns how many rows all batches handled
 */
export async function untilDone(
  size: number,
  signal: AbortSignal | undefined,
  batch: (size: number) => Promise<number>,
): Promise<number> {
  let total = 0;
  while (signal?.aborted !== true) {
    const count = await batch(size);
    total += count;
    if (count < size) break;
  }
  return total;
}
