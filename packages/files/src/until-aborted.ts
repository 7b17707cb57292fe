/**
 * The chunks of `source`, until the signal fires: then its reason is thrown, also while the source makes one
 * wait. A source that is left early is told so.
 */
export async function* untilAborted(
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  let isOver = false;
  try {
    while (true) {
      signal.throwIfAborted();
      const next = await nextChunk(chunks, signal);
      if (next.done === true) {
        isOver = true;
        return;
      }
      yield next.value;
    }
  } finally {
    // Not waited for: a source that hangs would hang here as well.
    if (!isOver) chunks.return?.().catch(() => {});
  }
}

function nextChunk(
  chunks: AsyncIterator<Uint8Array>,
  signal: AbortSignal,
): Promise<IteratorResult<Uint8Array>> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(signal.reason);
    signal.addEventListener('abort', giveUp, { once: true });
    chunks
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp));
  });
}
