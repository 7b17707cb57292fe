import { describe } from './describe.ts';
import type { Engine } from './engine/engine.ts';
import type { EngineRows } from './engine/engine-protocol.ts';

/** Longer texts are cut, in characters. */
export const MAX_CELL_CHARACTERS = 20_000;
/** All rows of a result as JSON, in UTF-16 units. */
export const MAX_RESULT_LENGTH = 1_048_576;

export interface SelectedRows extends EngineRows {
  /** Values that were cut. */
  readonly clipped: number;
}

/**
 * Runs a checked SELECT for at most `maxRows` rows of at most `maxLength` UTF-16 units of JSON. Texts are cut inside DuckDB, so a huge one never
 * leaves it; BLOBs come as base64.
 *
 * @throws {DuckDBError} DuckDB's message
 */
export async function selectRows(
  engine: Engine,
  select: string,
  maxRows: number,
  onProgress: (percentage: number) => void,
  maxLength = MAX_RESULT_LENGTH,
): Promise<SelectedRows> {
  const columns = await describe(engine, `(\n${select}\n)`);
  const aliases = columns.map((_column, index) => `c${index}`);
  const cells = columns.map(({ type }, index) => bounded(`c${index}`, type));
  const result = await engine.query(
    {
      // One row more than asked tells whether there are more.
      sql: `SELECT ${cells.join(', ')} FROM (\n${select}\n) AS result(${aliases.join(', ')}) LIMIT ${maxRows + 1}`,
      values: [],
      maxRows,
      maxLength,
    },
    onProgress,
  );
  let clipped = 0;
  const rows = result.rows.map((row) =>
    row.map((cell) => {
      if (typeof cell !== 'string' || cell.length <= MAX_CELL_CHARACTERS) return cell;
      const points = [...cell];
      if (points.length <= MAX_CELL_CHARACTERS) return cell;
      clipped += 1;
      return `${points.slice(0, MAX_CELL_CHARACTERS).join('')}…`;
    }),
  );
  return { columns, rows, truncated: result.truncated, clipped };
}

function bounded(column: string, type: string): string {
  if (type === 'BLOB') return `left(base64(${column}), ${MAX_CELL_CHARACTERS + 1})`;
  if (type === 'VARCHAR' || type === 'JSON')
    return `left(${column}::VARCHAR, ${MAX_CELL_CHARACTERS + 1})`;
  return column;
}
