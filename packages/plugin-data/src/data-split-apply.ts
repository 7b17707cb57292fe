import {
  type Batch,
  defineTool,
  type PluginHost,
  type Tool,
  type ToolContext,
  z,
} from '@longshore/plugin';
import { DATA_QUEUE, MaxRows, RESULT_TABLE, Sql } from './data-query.ts';
import { type Column, describe } from './describe.ts';
import { FORMATS } from './file-format.ts';
import { outputName } from './output-name.ts';
import type { QuerySlots } from './query-slots.ts';
import { MAX_RESULT_LENGTH } from './select-rows.ts';
import { withSession } from './session.ts';
import { type PartitionRows, partitionItem } from './split/partition-item.ts';
import {
  createPartition,
  findPartitions,
  MAX_PARTITIONS,
  PARTITION,
  type Partition,
  WHOLE,
} from './split/partitions.ts';
import { saveRows } from './split/rows-file.ts';
import { checkStatement } from './statement-guard.ts';
import { FileInput, type TableSource, tableSource } from './table-source.ts';

/** Entries of `failures` in a result; `failed` counts all. */
const MAX_LISTED = 100;
/** Of the reason in such an entry, in characters. */
const MAX_REASON = 500;
/** Runs of a partition whose engine did not start; what DuckDB refuses is final at once. */
const ITEM_ATTEMPTS = 2;
/** Of one partition, waiting for a free engine included. */
const ITEM_TIMEOUT_MS = 600_000;

const input = z.strictObject({
  file: FileInput.describe('The file to split: CSV, JSON, JSONL or Parquet.'),
  by: z
    .array(z.string().min(1))
    .min(1)
    .max(4)
    .refine((names) => new Set(names).size === names.length, 'name each column once')
    .describe(
      `Columns to split by: each combination of their values is a partition, NULL is a value of its own. At most ${MAX_PARTITIONS} partitions.`,
    ),
  sql: Sql.describe(
    `One SELECT statement in DuckDB SQL, run on each partition alone; its rows are the table "${PARTITION}": SELECT count(*), median(total) FROM ${PARTITION}.`,
  ),
  max_rows: MaxRows,
  to: z
    .enum(FORMATS)
    .default('csv')
    .describe('Format of the file that all rows are written to when they do not fit the answer.'),
});

const output = z.object({
  ...RESULT_TABLE,
  row_count: z.int().describe('Rows of all partitions together.'),
  truncated: z.boolean().describe('True when there are more rows than returned: see file.'),
  file: z
    .object({ uri: z.string(), name: z.string(), bytes: z.int() })
    .nullable()
    .describe('All rows, when not all are returned; read it as a resource.'),
  partitions: z.int(),
  failed: z.int().describe('Partitions whose query failed; their rows are missing.'),
  failures: z
    .array(
      z.object({
        partition: z.record(z.string(), z.json()).describe('Its values.'),
        reason: z.string(),
      }),
    )
    .describe(`The first ${MAX_LISTED}.`),
});
type Output = z.output<typeof output>;

export function dataSplitApply(host: PluginHost, slots: QuerySlots): Tool {
  const item = partitionItem(host, slots);
  return defineTool({
    name: 'data_split_apply',
    title: 'Run SQL on each part of a data file',
    description:
      'Splits a CSV, JSON, JSONL or Parquet file by the values of one or more columns, runs one SQL SELECT (DuckDB dialect) on each partition, in parallel on all workers, and puts the rows together, with the partition in front. Use it for what GROUP BY can not do, such as a regression, a quality check or the first rows for each group; for plain aggregates use data_query. A partition whose query fails is reported and does not stop the others.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    task: { queue: DATA_QUEUE, timeoutMs: 3_600_000 },
    items: [item],
    async run({ file, by, sql, max_rows: maxRows, to }, ctx) {
      const source = tableSource(file);
      const { partitions, columns } = await split(host, slots, ctx, { source, by, sql });
      const items = partitions.map(({ texts }) => ({ source, by, values: [...texts], sql }));
      const batch = await ctx.map(items, item, {
        key: 'partitions',
        itemAttempts: ITEM_ATTEMPTS,
        itemTimeoutMs: ITEM_TIMEOUT_MS,
      });
      const collected = await collect(batch, partitions, { by, maxRows });
      const shown = { columns, ...collected, partitions: partitions.length };
      if (!collected.truncated) return { ...shown, file: null };
      ctx.statusMessage('writing the rows to a file');
      const name = outputName(source.path, to);
      const rows = rowsOf(batch, partitions);
      const saved = await saveRows({ host, ctx, slots, name, to, columns, rows });
      return { ...shown, file: { ...saved, name } };
    },
  });
}

interface Request {
  readonly source: TableSource;
  readonly by: readonly string[];
  readonly sql: string;
}

/** Finds the partitions, and what is wrong with the query for all of them. */
async function split(
  host: PluginHost,
  slots: QuerySlots,
  ctx: ToolContext,
  { source, by, sql }: Request,
): Promise<{ readonly partitions: readonly Partition[]; readonly columns: readonly Column[] }> {
  const tables = new Map([[WHOLE, source]]);
  return withSession({ host, ctx, slots, tables }, async (engine) => {
    const partitions = await findPartitions(engine, by);
    await createPartition(engine, by, null);
    const select = await checkStatement(engine, sql, [PARTITION]);
    const result = await describe(engine, `(\n${select}\n)`);
    const types = new Map((await describe(engine, WHOLE)).map(({ name, type }) => [name, type]));
    const keys = by.map((name) => ({ name, type: types.get(name) ?? 'VARCHAR' }));
    return { partitions, columns: uniquelyNamed([...keys, ...result]) };
  });
}

/** A query may give the columns it is split by as well, and files have each name once. */
function uniquelyNamed(columns: readonly Column[]): Column[] {
  const taken = new Set<string>();
  return columns.map(({ name, type }) => {
    let unique = name;
    for (let count = 1; taken.has(unique.toLowerCase()); count += 1) unique = `${name}_${count}`;
    taken.add(unique.toLowerCase());
    return { name: unique, type };
  });
}

type Collected = Pick<
  Output,
  'rows' | 'row_count' | 'truncated' | 'clipped' | 'failed' | 'failures'
>;

/** Rows as far as they fit the answer, and the counts of all. */
async function collect(
  batch: Batch<PartitionRows>,
  partitions: readonly Partition[],
  { by, maxRows }: { readonly by: readonly string[]; readonly maxRows: number },
): Promise<Collected> {
  const rows: Output['rows'] = [];
  const failures: Output['failures'] = [];
  let rowCount = 0;
  let clipped = 0;
  let length = 0;
  for await (const result of batch) {
    const shown = partitions[result.index]?.shown ?? [];
    if (!result.ok) {
      if (failures.length === MAX_LISTED) continue;
      const partition = Object.fromEntries(by.map((name, at) => [name, shown[at] ?? null]));
      failures.push({ partition, reason: result.error.message.slice(0, MAX_REASON) });
      continue;
    }
    clipped += result.value.clipped;
    rowCount += result.value.rows.length;
    for (const values of result.value.rows) {
      const row = [...shown, ...values];
      length += JSON.stringify(row).length;
      if (rows.length === maxRows || length > MAX_RESULT_LENGTH) break;
      rows.push(row);
    }
  }
  const { failed } = batch.summary();
  const truncated = rows.length < rowCount;
  return { rows, row_count: rowCount, truncated, clipped, failed, failures };
}

async function* rowsOf(
  batch: Batch<PartitionRows>,
  partitions: readonly Partition[],
): AsyncGenerator<Output['rows'][number]> {
  for await (const result of batch) {
    if (!result.ok) continue;
    const shown = partitions[result.index]?.shown ?? [];
    for (const values of result.value.rows) yield [...shown, ...values];
  }
}
