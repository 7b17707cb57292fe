import type { BatchStore, ChunkOutcomes, ItemOutcome } from '@longshore/core';
import type { Batch, FailedItem, ItemResult } from '@longshore/plugin';
import type { BatchMap } from './batch-map.ts';
import { itemIndex } from './run-chunk.ts';

/** What is kept of the items of a batch, in order, each as soon as it and all before it are through. */
export async function* resultsOf(
  map: BatchMap,
  store: Pick<BatchStore, 'outcomes'>,
): AsyncGenerator<ItemResult<unknown>> {
  for (let position = 0; await map.isReadable(position); position += 1) {
    const [chunk] = await store.outcomes(map.id, position, 1);
    if (chunk?.position !== position) throw new Error(`chunk ${position} of the batch is gone`);
    for (const outcome of chunk.outcomes.toSorted(([one], [other]) => one - other)) {
      const result = itemResult(chunk, outcome);
      if (map.keepsValues || !result.ok) yield result;
    }
  }
}

export function endedBatch(map: BatchMap, store: Pick<BatchStore, 'outcomes'>): Batch<unknown> {
  return {
    [Symbol.asyncIterator]: () => resultsOf(map, store),
    summary: () => map.summary(),
    failures: () => failuresOf(map, store),
  };
}

async function* failuresOf(
  map: BatchMap,
  store: Pick<BatchStore, 'outcomes'>,
): AsyncGenerator<FailedItem> {
  for await (const result of resultsOf(map, store)) if (!result.ok) yield result;
}

function itemResult(chunk: ChunkOutcomes, outcome: ItemOutcome): ItemResult<unknown> {
  const [offset, attempts, value, error] = outcome;
  const index = itemIndex(chunk, offset);
  return error === undefined
    ? { index, ok: true, value, attempts }
    : { index, ok: false, error, attempts };
}
