import { ToolError, z } from '@longshore/plugin';
import { type Column, describe, isNested, requireColumns } from '../describe.ts';
import type { Engine } from '../engine/engine.ts';
import { identifier, literal } from '../sql-text.ts';

/** The file in a session, which the caller's SQL can not name. */
export const WHOLE = 'whole_file';
/** The rows of one partition, as the caller's SQL names them. */
export const PARTITION = 'data';

/** More are refused: each is a query of its own, that reads the file. */
export const MAX_PARTITIONS = 1_000;
/** All values of all partitions as JSON, in UTF-16 units. */
const MAX_VALUES_LENGTH = 1_048_576;

/** The values that the rows of a partition have in common, in the order of the columns. */
export interface Partition {
  /** As results show them. */
  readonly shown: readonly z.core.util.JSONType[];
  /** As DuckDB writes and reads them, whatever their type. */
  readonly texts: readonly (string | null)[];
}

const Values = z.array(z.json());
const Texts = z.array(z.string().nullable());

/**
 * Finds the partitions of a file, in the order of their values, those of NULL last.
 *
 * @throws {ToolError} a column that is not there or has nested values, no rows, too many partitions
 */
export async function findPartitions(
  engine: Engine,
  by: readonly string[],
): Promise<readonly Partition[]> {
  const columns = await splitColumns(engine, by);
  const names = columns.map(({ name }) => identifier(name));
  const texts = names.map((name) => `${name}::VARCHAR`);
  const order = names.map((_name, index) => `${index + 1} NULLS LAST`);
  const { rows, truncated } = await engine.query({
    sql: `SELECT ${[...names, ...texts].join(', ')} FROM (SELECT DISTINCT ${names.join(', ')} FROM ${WHOLE}) ORDER BY ${order.join(', ')} LIMIT ${MAX_PARTITIONS + 1}`,
    values: [],
    maxRows: MAX_PARTITIONS,
    maxLength: MAX_VALUES_LENGTH,
  });
  if (truncated) {
    throw new ToolError(
      rows.length === MAX_PARTITIONS
        ? `${by.join(', ')} would split the file into more than ${MAX_PARTITIONS} partitions: split by columns of fewer different values`
        : `the values of ${by.join(', ')} are too long to split by`,
    );
  }
  if (rows.length === 0) throw new ToolError('the file has no rows to split');
  return rows.map((row) => ({
    shown: Values.parse(row.slice(0, by.length)),
    texts: Texts.parse(row.slice(by.length)),
  }));
}

/**
 * Makes the table of one partition.
 *
 * @param texts of its values; null: all rows, for looking at the columns of a query
 * @throws {ToolError} a column that is not there
 */
export async function createPartition(
  engine: Engine,
  by: readonly string[],
  texts: readonly (string | null)[] | null,
): Promise<void> {
  const columns = texts === null ? [] : await splitColumns(engine, by);
  const conditions = columns.map(({ name, type }, index) => {
    const text = texts?.[index] ?? null;
    return text === null
      ? `${identifier(name)} IS NULL`
      : `${identifier(name)} = CAST(${textOf(text)} AS ${type})`;
  });
  const where = conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
  await engine.execute(`CREATE VIEW ${PARTITION} AS SELECT * FROM ${WHOLE}${where}`);
}

/** DuckDB takes a NUL character for the end of the statement. */
function textOf(text: string): string {
  return `(${text.split('\0').map(literal).join(' || chr(0) || ')})`;
}

async function splitColumns(engine: Engine, by: readonly string[]): Promise<readonly Column[]> {
  const columns = await describe(engine, WHOLE);
  requireColumns(columns, by);
  return by.map((wanted) => {
    const column = columns.find(({ name }) => name === wanted);
    if (column === undefined || isNested(column.type)) {
      throw new ToolError(
        `${JSON.stringify(wanted)} is ${column?.type ?? 'missing'}: split by columns of plain values`,
      );
    }
    return column;
  });
}
