/** Waits until all have settled, for so many milliseconds at most. */
export async function settledWithin(promises: readonly Promise<void>[], ms: number): Promise<void> {
  if (promises.length === 0) return;
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.allSettled(promises), over]);
  clearTimeout(timer);
}
