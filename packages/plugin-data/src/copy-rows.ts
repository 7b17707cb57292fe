import { z } from '@longshore/plugin';
import type { Engine } from './engine/engine.ts';
import type { Format } from './file-format.ts';
import { literal } from './sql-text.ts';

const COPY_OPTIONS: Readonly<Record<Format, string>> = {
  csv: 'FORMAT csv, HEADER true',
  json: 'FORMAT json',
  parquet: 'FORMAT parquet, COMPRESSION zstd',
};

export interface Copy {
  /** A checked SELECT without a semicolon, or one of ours. */
  readonly select: string;
  /** Where to write; one of the session's own paths. */
  readonly path: string;
  readonly to: Format;
}

/**
 * Writes what a SELECT gives to a file.
 *
 * @returns the number of rows
 * @throws {DuckDBError} DuckDB's message
 */
export async function copyRows(
  engine: Engine,
  { select, path, to }: Copy,
  onProgress: (percentage: number) => void = () => {},
): Promise<number> {
  const copied = await engine.query(
    {
      sql: `COPY (\n${select}\n) TO ${literal(path)} (${COPY_OPTIONS[to]}, USE_TMP_FILE false)`,
      values: [],
      maxRows: 1,
      maxLength: 1_000,
    },
    onProgress,
  );
  return z.int().parse(copied.rows[0]?.[0]);
}
