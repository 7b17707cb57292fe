import {
  defineTool,
  eachLimited,
  InputError,
  Journal,
  type PluginHost,
  type Tool,
  ToolError,
  z,
} from '@longshore/plugin';
import { AllowedDirectories, saveLines } from '@longshore/plugin/files';
import { askLabels } from './classify/ask-labels.ts';
import { type Row, readRows } from './classify/read-rows.ts';

const MAX_ROWS = 10_000;

/** Entries of `items` and of `failures` in a result; the counts are of all. */
const MAX_LISTED = 200;

/** Of a row's text in a result, in UTF-16 units. */
const SHOWN_TEXT = 200;

/** Questions open at once: the client shows them to its user, or pays for each. */
const OPEN_QUESTIONS = 2;

const FAILURE_CODES = ['EMPTY', 'NO_LABEL', 'NOT_ASKED'] as const;

const input = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe(
      'A .csv or .tsv file with a header, .jsonl, .ndjson, or .txt with a text a line, relative to the allowed directories.',
    ),
  labels: z
    .array(
      z.strictObject({
        name: z.string().trim().min(1).max(100),
        description: z.string().min(1).max(500).optional().describe('What belongs to it.'),
      }),
    )
    .min(2)
    .max(50)
    .describe('Each row gets exactly one of these.'),
  columns: z
    .array(z.string().max(200))
    .max(50)
    .default([])
    .describe('Columns to judge a row by; all unless given.'),
  instructions: z.string().min(1).max(2_000).optional().describe('How to decide in doubt.'),
  delimiter: z.string().length(1).optional().describe('Of CSV, when it is not a comma.'),
  batch_size: z.int().min(1).max(50).default(20).describe('Rows in one question to the model.'),
  max_rows: z.int().min(1).max(MAX_ROWS).default(1_000).describe('Only the first rows.'),
  save_as: z
    .string()
    .optional()
    .describe(
      'Name of a file for all rows with their labels, one JSON object a line, such as "labels.jsonl".',
    ),
});

const output = z.object({
  rows: z.int(),
  classified: z.int(),
  failed: z.int(),
  truncated: z.boolean().describe('True when the file has more rows than max_rows.'),
  stopped: z
    .string()
    .nullable()
    .describe('Why the model was asked no further; then rows are left with NOT_ASKED.'),
  labels: z.array(z.object({ name: z.string(), rows: z.int() })).describe('How many got each.'),
  items: z
    .array(z.object({ row: z.int(), label: z.string(), text: z.string() }))
    .describe(`The first ${MAX_LISTED}, their texts shortened.`),
  failures: z
    .array(z.object({ row: z.int(), code: z.enum(FAILURE_CODES) }))
    .describe(`The first ${MAX_LISTED}: nothing to judge, no label given twice, or not asked.`),
  path: z
    .string()
    .nullable()
    .describe('The file written, readable by other tools of the same user.'),
  bytes: z.int().nullable().describe('Its size.'),
});

/** A question that is through: its first row, and the label of each. */
const Entry = z.object({ first: z.int(), labels: z.array(z.string().nullable()) });
type Entry = z.output<typeof Entry>;

export function textClassify(host: PluginHost): Tool {
  return defineTool({
    name: 'text_classify',
    title: 'Classify rows of text',
    description:
      "Gives each row of a CSV, JSONL or text file one of the labels you name, by asking the client's own model in batches: sentiment, topic, urgency, spam. Counts the labels, returns the first rows and writes all to a file when save_as is given. Needs a client that lets servers ask its model (sampling).",
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    requires: ['sampling'],
    task: { timeoutMs: 3_600_000, attempts: 3 },
    async run(request, ctx) {
      assertDifferent(request.labels.map(({ name }) => name));
      const { rows, truncated } = await rowsOf(host, ctx, request);
      const batches = rowBatches(rows, request.batch_size);
      const found = new Map<number, string | null>();
      const journal = await Journal.open(
        ctx.checkpoint,
        'text_classify',
        Entry,
        (entry) => note(found, batches, entry),
        // An answer may have cost money, and the time of a person.
        { everyMs: 0 },
      );
      const report = (): void =>
        ctx.progress(found.size, rows.length, `${found.size} of ${rows.length} rows`);
      report();
      let stopped: string | null = null;
      const waiting = batches.filter((batch) => !found.has(batch[0]?.row ?? 0));
      const limits = { concurrency: OPEN_QUESTIONS, signal: ctx.signal };
      await eachLimited(waiting, limits, async (batch) => {
        if (stopped !== null) return;
        try {
          const labels = await askLabels(ctx, request, batch);
          const entry = { first: batch[0]?.row ?? 0, labels: [...labels] };
          await journal.add(entry);
          note(found, batches, entry);
          report();
        } catch (error) {
          // What is there stays worth having when the client does not want to go on.
          if (!(error instanceof InputError)) throw error;
          stopped = error.message;
        }
      });
      if (stopped !== null && found.size === 0) throw new ToolError(stopped);
      const judged = rows.map((row) => judge(row, found, stopped));
      const saved =
        request.save_as === undefined ? null : await saveLines(host, ctx, request.save_as, judged);
      return {
        ...summary(judged, request.labels),
        truncated,
        stopped,
        path: saved?.path ?? null,
        bytes: saved?.bytes ?? null,
      };
    },
  });
}

async function rowsOf(
  host: PluginHost,
  ctx: Parameters<Tool['run']>[1],
  request: z.output<typeof input>,
): Promise<{ readonly rows: readonly Row[]; readonly truncated: boolean }> {
  const file = await AllowedDirectories.of(host, ctx).open(request.path);
  try {
    const { columns, delimiter, max_rows: maxRows } = request;
    const read = await readRows(file, { columns, delimiter, maxRows, signal: ctx.signal });
    if (read.rows.length === 0) throw new ToolError(`${file.name} has no rows`);
    return read;
  } finally {
    await file.close();
  }
}

/** @throws {ToolError} */
function assertDifferent(names: readonly string[]): void {
  const folded = names.map((name) => name.toLowerCase());
  const twice = names.find((_, index) => folded.indexOf(folded[index] ?? '') !== index);
  if (twice !== undefined) throw new ToolError(`the label ${JSON.stringify(twice)} is there twice`);
}

function note(
  found: Map<number, string | null>,
  batches: readonly (readonly Row[])[],
  { first, labels }: Entry,
): void {
  const batch = batches.find((candidate) => candidate[0]?.row === first) ?? [];
  for (const [index, { row }] of batch.entries()) found.set(row, labels[index] ?? null);
}

interface Judged {
  readonly row: number;
  readonly label: string | null;
  readonly code: (typeof FAILURE_CODES)[number] | null;
  readonly text: string;
}

function judge(
  { row, text }: Row,
  found: ReadonlyMap<number, string | null>,
  stopped: string | null,
): Judged {
  const label = found.get(row) ?? null;
  if (label !== null) return { row, label, code: null, text };
  if (text.trim() === '') return { row, label, code: 'EMPTY', text };
  return { row, label, code: stopped !== null && !found.has(row) ? 'NOT_ASKED' : 'NO_LABEL', text };
}

function summary(judged: readonly Judged[], labels: readonly { readonly name: string }[]) {
  const counts = new Map(labels.map(({ name }) => [name, 0]));
  const items: { row: number; label: string; text: string }[] = [];
  const failures: { row: number; code: (typeof FAILURE_CODES)[number] }[] = [];
  for (const { row, label, code, text } of judged) {
    if (label === null) {
      failures.push({ row, code: code ?? 'NO_LABEL' });
    } else {
      counts.set(label, (counts.get(label) ?? 0) + 1);
      items.push({ row, label, text: text.slice(0, SHOWN_TEXT) });
    }
  }
  return {
    rows: judged.length,
    classified: items.length,
    failed: failures.length,
    labels: [...counts].map(([name, rows]) => ({ name, rows })),
    items: items.slice(0, MAX_LISTED),
    failures: failures.slice(0, MAX_LISTED),
  };
}

/** Text of one question, in UTF-16 units: some thousand tokens, which every model takes. */
const MAX_BATCH_TEXT = 16_000;

/** Rows of one question. They depend on the file alone, so that every attempt asks the same. */
function rowBatches(rows: readonly Row[], batchSize: number): readonly (readonly Row[])[] {
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
