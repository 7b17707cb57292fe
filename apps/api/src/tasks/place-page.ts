import { decodePlaceCursor, encodePlaceCursor, type PlaceList } from '@longshore/protocol';

/**
 * A page of a list that is in the order of creation, newest first, from where the cursor's page ended.
 *
 * @param read reads `limit` rows at most, behind `after`
 * @returns with the cursor of the next page; null: this is the last one
 * @throws {LongshoreError} INVALID_CURSOR: also one of another list
 */
export async function placePage<Row extends { readonly createdAt: Date; readonly id: string }>(
  list: PlaceList,
  { cursor, limit }: { readonly cursor?: string | undefined; readonly limit: number },
  read: (
    limit: number,
    after: { readonly createdAt: Date; readonly id: Row['id'] } | null,
  ) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly next: string | null }> {
  const after = cursor === undefined ? null : decodePlaceCursor<Row['id']>(list, cursor);
  const found = await read(limit + 1, after);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return { rows, next: hasMore ? encodePlaceCursor(list, last) : null };
}
