import { defineTool, type PluginHost, type Tool, z } from '@longshore/plugin';
import { createOutputFile } from '@longshore/plugin/files';
import { copyRows } from './copy-rows.ts';
import { DATA_QUEUE, Sql } from './data-query.ts';
import { FORMATS } from './file-format.ts';
import { outputName } from './output-name.ts';
import type { QuerySlots } from './query-slots.ts';
import { withSession } from './session.ts';
import { checkStatement } from './statement-guard.ts';
import { FileInput, tableSource } from './table-source.ts';

/** The name of the file in the statement. */
const TABLE = 'data';

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
      const out = await createOutputFile(host, ctx, saveAs ?? outputName(source.path, to));
      try {
        const tables = new Map([[TABLE, source]]);
        const ownPaths = [out.temporaryPath];
        const rows = await out.watch(ctx.signal, (signal) => {
          const { principal, statusMessage } = ctx;
          const session = { signal, principal, statusMessage };
          return withSession({ host, ctx: session, slots, tables, ownPaths }, async (engine) => {
            const select =
              sql === undefined ? `FROM ${TABLE}` : await checkStatement(engine, sql, [TABLE]);
            return copyRows(engine, { select, path: out.temporaryPath, to }, (percentage) =>
              ctx.progress(percentage, 100),
            );
          });
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
