import { defineTool, type PluginHost, type Tool, ToolError, z } from '@longshore/plugin';
import { DATA_QUEUE } from './data-query.ts';
import { type Column, describe, isNested, requireColumns } from './describe.ts';
import type { Engine } from './engine/engine.ts';
import type { QuerySlots } from './query-slots.ts';
import { withSession } from './session.ts';
import { identifier } from './sql-text.ts';
import { FileInput, tableSource } from './table-source.ts';

const TABLE = 'data';
const MAX_COLUMNS = 200;
/** Longer values are cut in a profile, in characters. */
const SHOWN = 200;
/** A column with more different values than this, and than half of its rows, has no frequent ones. */
const FEW = 100;

const input = z.strictObject({
  file: FileInput.describe(
    'A CSV, JSON, JSONL or Parquet file, relative to the allowed directories.',
  ),
  columns: z
    .array(z.string())
    .min(1)
    .max(MAX_COLUMNS)
    .optional()
    .describe(`Only these columns; all unless given, which may be ${MAX_COLUMNS} at most.`),
  top: z
    .int()
    .min(0)
    .max(50)
    .default(5)
    .describe('How many of the most frequent values to return.'),
});

const ColumnProfile = z.object({
  name: z.string(),
  type: z.string().describe('DuckDB type.'),
  nulls: z.int(),
  distinct: z.int().describe('Different values.'),
  distinct_is_exact: z
    .boolean()
    .describe('False when distinct is an estimate, which may be a quarter off.'),
  min: z.string().nullable().describe('As text; null for nested types.'),
  max: z.string().nullable(),
  top_values: z
    .array(z.object({ value: z.string(), count: z.int() }))
    .describe('Empty for columns of mostly different values, such as ids.'),
});

const output = z.object({ rows: z.int(), columns: z.array(ColumnProfile) });

type Profile = z.output<typeof ColumnProfile>;

export function dataProfile(host: PluginHost, slots: QuerySlots): Tool {
  return defineTool({
    name: 'data_profile',
    title: 'Profile a data file',
    description:
      'Describes a CSV, JSON, JSONL or Parquet file: how many rows, and for each column its type, nulls, number of different values, minimum, maximum and most frequent values. Use it before writing SQL for data_query.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    task: { queue: DATA_QUEUE, timeoutMs: 600_000 },
    async run({ file, columns: wanted, top }, ctx) {
      const tables = new Map([[TABLE, tableSource(file)]]);
      return withSession({ host, ctx, slots, tables }, async (engine) => {
        const columns = pick(await describe(engine, TABLE), wanted);
        // One pass for all figures, and one for the frequent values of each column.
        const steps = 1 + columns.length;
        const { rows, profiles } = await figures(engine, columns, (percentage) =>
          ctx.progress(percentage, steps * 100),
        );
        const described: Profile[] = [];
        for (const profile of profiles) {
          const isMostlyDistinct = profile.distinct > FEW && profile.distinct > rows / 2;
          const counts =
            top > 0 && !isMostlyDistinct ? await countValues(engine, profile, top) : {};
          described.push({ ...profile, ...counts });
          ctx.progress((described.length + 1) * 100, steps * 100, profile.name);
        }
        return { rows, columns: described };
      });
    },
  });
}

/** @throws {ToolError} unknown or too many columns */
function pick(
  columns: readonly Column[],
  wanted: readonly string[] | undefined,
): readonly Column[] {
  if (wanted !== undefined) requireColumns(columns, wanted);
  if (wanted === undefined && columns.length > MAX_COLUMNS) {
    throw new ToolError(
      `the file has ${columns.length} columns; name up to ${MAX_COLUMNS} of them in columns`,
    );
  }
  return wanted === undefined ? columns : columns.filter(({ name }) => wanted.includes(name));
}

const Figures = z.tuple([z.int(), z.int(), z.string().nullable(), z.string().nullable()]);

async function figures(
  engine: Engine,
  columns: readonly Column[],
  onProgress: (percentage: number) => void,
): Promise<{ readonly rows: number; readonly profiles: readonly Profile[] }> {
  const terms = columns.flatMap(({ name, type }) => {
    const column = identifier(name);
    const value = comparable(column, type);
    const [min, max] = isNested(type)
      ? ['NULL', 'NULL']
      : [`left(min(${column})::VARCHAR, ${SHOWN})`, `left(max(${column})::VARCHAR, ${SHOWN})`];
    return [`count(*) - count(${column})`, `approx_count_distinct(${value})`, min, max];
  });
  const { rows } = await engine.query(
    {
      sql: `SELECT ${['count(*)', ...terms].join(', ')} FROM ${TABLE}`,
      values: [],
      maxRows: 1,
      maxLength: Number.MAX_SAFE_INTEGER,
    },
    onProgress,
  );
  const [count, ...cells] = rows[0] ?? [];
  const profiles = columns.map(({ name, type }, index) => {
    const [nulls, distinct, min, max] = Figures.parse(cells.slice(index * 4, index * 4 + 4));
    return { name, type, nulls, distinct, distinct_is_exact: false, min, max, top_values: [] };
  });
  return { rows: z.int().parse(count), profiles };
}

const ValueCounts = z.array(z.tuple([z.string(), z.int(), z.int()]));

/** The most frequent values, and how many there are: one grouping tells both. */
async function countValues(
  engine: Engine,
  { name, type }: Column,
  top: number,
): Promise<Pick<Profile, 'distinct' | 'distinct_is_exact' | 'top_values'>> {
  const column = identifier(name);
  const { rows } = await engine.query({
    sql: `SELECT left(value::VARCHAR, ${SHOWN}), count(*), count(*) OVER () FROM (SELECT ${comparable(column, type)} AS value FROM ${TABLE} WHERE ${column} IS NOT NULL) GROUP BY value ORDER BY 2 DESC, 1 LIMIT ${top}`,
    values: [],
    maxRows: top,
    maxLength: Number.MAX_SAFE_INTEGER,
  });
  const counts = ValueCounts.parse(rows);
  return {
    distinct: counts[0]?.[2] ?? 0,
    distinct_is_exact: true,
    top_values: counts.map(([value, count]) => ({ value, count })),
  };
}

/** Nested values are compared as text: not every nested type can be grouped. */
function comparable(column: string, type: string): string {
  return isNested(type) ? `${column}::VARCHAR` : column;
}
