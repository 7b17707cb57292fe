import type { JsonObject } from '@longshore/core';
import { decodeNameCursor, encodeNameCursor } from '@longshore/protocol';
import type { CatalogueSection } from '../catalogue/catalogue-section.ts';

const PAGE_SIZE = 100;

/**
 * One page of a list of the catalogue; the cursor is the key of the last entry, so pages stay in step
 * while entries come and go.
 *
 * @param name member of the result that holds the entries
 * @param isVisible what of the list the caller's credential admits
 * @throws {LongshoreError} INVALID_CURSOR
 * @see 2025-11-25 server/utilities/pagination
 */
export function listPage<Entry extends object>(
  name: string,
  section: Pick<CatalogueSection<Entry>, 'page'>,
  params: { cursor?: string | undefined },
  wire: (entry: Entry) => JsonObject,
  isVisible: (entry: Entry) => boolean,
): JsonObject {
  const after = params.cursor === undefined ? null : decodeNameCursor(name, params.cursor);
  const { entries, next } = section.page(after, PAGE_SIZE, isVisible);
  return {
    [name]: entries.map(wire),
    ...(next === null ? {} : { nextCursor: encodeNameCursor(name, next) }),
  };
}
