import { basename } from 'node:path';
import { defineTool, type PluginHost, type Tool, ToolError, z } from '@longshore/plugin';
import { createOutputFile } from '@longshore/plugin/files';
import { DATA_QUEUE, Sql } from './data-query.ts';
import { FORMATS, type Format } from './file-format.ts';
import type { QuerySlots } from './query-slots.ts';
import { withSession } from './session.ts';
import { literal } from './sql-text.ts';
import { checkStatement } from './statement-guard.ts';
import { FileInput, tableSource } from './table-source.ts';
import { withoutSemicolon } from './without-semicolon.ts';

/** The name of the file in the statement. */
const TABLE = 'data';

const COPY_OPTIONS: Readonly<Record<Format, string>> = {
  csv: 'FORMAT csv, HEADER true',
  json: 'FORMAT json',
  parquet: 'FORMAT parquet, COMPRESSION zstd',
};

const EXTENSIONS: Readonly<Record<Format, string>> = {
  csv: 'csv',
  json: 'jsonl',
  parquet: 'parquet',
};

const input = z.strictObject({
  file: FileInput.describe('The file to convert: CSV, JSON, JSONL or Parquet.'),
  to: z.enum(FORMATS).describe('The format to write; json is written as one object a line.'),
  sql: Sql.optional().describe(
    `Convert the result of this SELECT instead of the whole file, which is the table "${TABLE}": SELECT * FROM ${TABLE} WHERE ...`,
  ),
  save_as: z
    .string()
    .optional()
    .describe('Name of the new file; the name of the old one with another ending unless given.'),
});

const output = z.object({
  path: z.string().describe('The new file, readable by other tools of the same user.'),
  rows: z.int(),
  bytes: z.int(),
});

export function dataConvert(host: PluginHost, slots: QuerySlots): Tool {
  return defineTool({
    name: 'data_convert',
    title: 'Convert a data file',
    description:
      'Converts a CSV, JSON, JSONL or Parquet file, or the result of a SELECT over it, to another of these formats and returns the path of the new file. Use it to make a large CSV fast to query (parquet), or to save a result that is too large to return.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    task: { queue: DATA_QUEUE, timeoutMs: 3_600_000 },
    async run({ file, to, sql, save_as: saveAs }, ctx) {
      const source = tableSource(file);
      const out = await createOutputFile(host, ctx, saveAs ?? defaultName(source.path, to));
      try {
        const tables = new Map([[TABLE, source]]);
        const request = { host, ctx, slots, tables, outputPath: out.temporaryPath };
        const rows = await withSession(request, async (engine) => {
          if (sql !== undefined) await checkStatement(engine, sql, [TABLE]);
          const select = withoutSemicolon(sql ?? `FROM ${TABLE}`);
          const target = literal(out.temporaryPath);
          const copied = await engine.query(
            {
              sql: `COPY (\n${select}\n) TO ${target} (${COPY_OPTIONS[to]}, USE_TMP_FILE false)`,
              values: [],
              maxRows: 1,
              maxLength: 1_000,
            },
            (percentage) => ctx.progress(percentage, 100),
          );
          return z.int().parse(copied.rows[0]?.[0]);
        });
        const bytes = await out.commit();
        ctx.progress(100, 100);
        return { path: out.path, rows, bytes };
      } finally {
        await out.discard();
      }
    },
  });
}

/** The old name without its endings, in characters that file names of ours have. */
function defaultName(path: string, to: Format): string {
  const stem = basename(path)
    .replace(/\.gz$/i, '')
    .replace(/\.[^.]*$/, '')
    .replaceAll(/[^A-Za-z0-9_-]/g, '_')
    .replace(/^-/, '_')
    .slice(0, 100);
  if (stem === '') throw new ToolError('give save_as: no name for the new file can be made');
  return `${stem}.${EXTENSIONS[to]}`;
}
