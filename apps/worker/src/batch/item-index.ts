import type { ChunkOutcomes } from '@longshore/core';

/** What an item is known by: its index in its batch, or, when it is tried again, in the one it was first in. */
export function itemIndex(
  { firstItem, sourceIndexes }: Pick<ChunkOutcomes, 'firstItem' | 'sourceIndexes'>,
  offset: number,
): number {
  return sourceIndexes[offset] ?? firstItem + offset;
}
