import { ToolError, z } from '@longshore/plugin';
import type { Engine } from './engine/engine.ts';

export interface Column {
  readonly name: string;
  /** As DuckDB writes it, such as `DECIMAL(10,2)` or `STRUCT(x BIGINT)`. */
  readonly type: string;
}

/** More are refused: a file of so many is not a table. */
const MAX_COLUMNS = 10_000;

/**
 * The columns of what stands behind FROM.
 *
 * @throws {DuckDBError} DuckDB's message
 */
export async function describe(engine: Engine, from: string): Promise<Column[]> {
  const { rows } = await engine.query({
    sql: `SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM ${from})`,
    values: [],
    maxRows: MAX_COLUMNS,
    maxLength: Number.MAX_SAFE_INTEGER,
  });
  return z
    .array(z.tuple([z.string(), z.string()]))
    .parse(rows)
    .map(([name, type]) => ({ name, type }));
}

/** @throws {ToolError} that names a column that is not there, and those that are */
export function requireColumns(columns: readonly Column[], wanted: readonly string[]): void {
  const names = columns.map(({ name }) => name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown === undefined) return;
  throw new ToolError(
    `there is no column ${JSON.stringify(unknown)}; the columns are ${names.slice(0, 50).join(', ')}`,
  );
}

export function isNested(type: string): boolean {
  return (
    /^(?:STRUCT|MAP|UNION|VARIANT)|[\])]$|^JSON$/.test(type) && !/^(?:DECIMAL|ENUM)/.test(type)
  );
}
