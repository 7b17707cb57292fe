import { defineTool, type PluginHost, type Tool, z } from '@longshore/plugin';
import type { QuerySlots } from './query-slots.ts';
import { selectRows } from './select-rows.ts';
import { withSession } from './session.ts';
import { checkStatement } from './statement-guard.ts';
import { FileInput, tableSource } from './table-source.ts';

const MAX_TABLES = 16;

/** The queue of all tools of this plugin, so that long queries leave the slots of other tools alone. */
export const DATA_QUEUE = 'data';

export const Sql = z.string().min(1).max(50_000);

export const MaxRows = z.int().min(1).max(10_000).default(100).describe('Most rows to return.');

const input = z.strictObject({
  sql: Sql.describe(
    'One SELECT statement in DuckDB SQL over the tables named in files, such as SELECT country, sum(total) FROM orders GROUP BY country ORDER BY 2 DESC.',
  ),
  files: z
    .record(
      z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,62}$/, {
        error: 'a table name has letters, digits and _, and no digit first',
      }),
      FileInput,
    )
    .refine(
      (files) => Object.keys(files).length >= 1 && Object.keys(files).length <= MAX_TABLES,
      `name 1 to ${MAX_TABLES} files`,
    )
    .describe(
      'The tables: name to file, such as {"orders": "sales/orders.csv"}. CSV, JSON, JSONL and Parquet, CSV and JSON also gzipped. CSV with a header line.',
    ),
  max_rows: MaxRows,
});

/** Columns and rows of a result, as all tools show them. */
export const RESULT_TABLE = {
  columns: z.array(z.object({ name: z.string(), type: z.string().describe('DuckDB type.') })),
  rows: z
    .array(z.array(z.json()))
    .describe(
      'Values in the order of columns. Decimals, whole numbers beyond 2^53, dates and times are text; BLOBs are base64.',
    ),
  clipped: z.int().describe('Texts cut because they are longer than 20,000 characters.'),
};

const output = z.object({
  ...RESULT_TABLE,
  row_count: z.int().describe('Rows returned.'),
  truncated: z.boolean().describe('True when there are more rows than returned.'),
});

export function dataQuery(host: PluginHost, slots: QuerySlots): Tool {
  return defineTool({
    name: 'data_query',
    title: 'Query data files with SQL',
    description:
      'Runs one SQL SELECT (DuckDB dialect) over CSV, JSON, JSONL or Parquet files of any size and returns the rows. Name each file as a table in files, then use those names in sql. Aggregate in SQL rather than fetching many rows; use data_convert to write a large result to a file, and data_profile to get to know a file first.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    task: { queue: DATA_QUEUE, timeoutMs: 600_000 },
    async run({ sql, files, max_rows: maxRows }, ctx) {
      const names = Object.keys(files);
      const tables = new Map(
        Object.entries(files).map(([name, file]) => [name, tableSource(file)]),
      );
      return withSession({ host, ctx, slots, tables }, async (engine) => {
        const select = await checkStatement(engine, sql, names);
        const { columns, rows, truncated, clipped } = await selectRows(
          engine,
          select,
          maxRows,
          (percentage) => ctx.progress(percentage, 100),
        );
        ctx.progress(100, 100);
        return { columns, rows, row_count: rows.length, truncated, clipped };
      });
    },
  });
}
