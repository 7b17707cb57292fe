import type { Row } from './read-rows.ts';

/** Text of one question, in UTF-16 units: some thousand tokens, which every model takes. */
const MAX_BATCH_TEXT = 16_000;

/** Rows of one question. They depend on the file alone, so that every attempt asks the same. */
export function rowBatches(rows: readonly Row[], batchSize: number): readonly (readonly Row[])[] {
  const batches: Row[][] = [];
  let batch: Row[] = [];
  let length = 0;
  for (const row of rows) {
    if (row.text.trim() === '') continue;
    if (
      batch.length === batchSize ||
      (batch.length > 0 && length + row.text.length > MAX_BATCH_TEXT)
    ) {
      batches.push(batch);
      batch = [];
      length = 0;
    }
    batch.push(row);
    length += row.text.length;
  }
  if (batch.length > 0) batches.push(batch);
  return batches;
}
