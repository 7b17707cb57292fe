import { defineTool, type PluginHost, type Tool, ToolError, z } from '@longshore/plugin';
import { AllowedDirectories } from '@longshore/plugin/files';
import { CountLedger } from './count-ledger.ts';
import { type CountOptions, countText, type TextCounts } from './count-text.ts';

const MAX_FILES = 10_000;
/** Entries of `files` and of `skipped` in a result; the totals are of all. */
const MAX_LISTED = 200;

const Counts = z.object({
  lines: z.int(),
  words: z.int(),
  characters: z.int().describe('Unicode code points.'),
  bytes: z.int(),
});

const input = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe(
      'A file, a folder (all files below it) or a pattern such as "reports/**/*.txt", relative to the allowed directories.',
    ),
  top: z
    .int()
    .min(0)
    .max(1_000)
    .default(10)
    .describe('How many of the most frequent words to return; 0 for none.'),
  min_word_length: z
    .int()
    .min(1)
    .max(100)
    .default(1)
    .describe('Shorter words are counted in "words" but left out of "top_words".'),
});

const output = z.object({
  total: Counts,
  files_counted: z.int(),
  files: z.array(Counts.extend({ path: z.string() })).describe(`The first ${MAX_LISTED} files.`),
  top_words: z.array(z.object({ word: z.string(), count: z.int() })),
  distinct_words: z
    .int()
    .describe('Different words of at least min_word_length, when top is above 0.'),
  exact: z
    .boolean()
    .describe(
      'False when there were so many different words that rare ones were dropped: then distinct_words and the counts in top_words are lower bounds.',
    ),
  files_skipped: z.int(),
  skipped: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .describe(`Files that are not text, the first ${MAX_LISTED}.`),
});

export function textCount(host: PluginHost): Tool {
  return defineTool({
    name: 'text_count',
    title: 'Count text',
    description:
      'Counts lines, words, characters and bytes of one text file, all text files of a folder, or all that match a pattern, and finds their most frequent words (case ignored). Reads UTF-8 of any size; binary files in a folder are listed as skipped.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    task: { timeoutMs: 3_600_000, attempts: 3 },
    async run({ path, top, min_word_length: minWordLength }, ctx) {
      const directories = AllowedDirectories.of(host, ctx);
      const files = await directories.list(path, { maxFiles: MAX_FILES, signal: ctx.signal });
      const isSingle = files.length === 1 && files[0]?.name === path;
      const ledger = isSingle ? CountLedger.unsaved() : await CountLedger.open(ctx.checkpoint);
      const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
      const done = ledger.done();
      let doneBytes = 0;
      for (const { name, sizeBytes } of files) {
        if (!done.has(name)) {
          const words = ledger.newTally();
          try {
            const counts = await countFile(directories, name, {
              signal: ctx.signal,
              onWord: (word) => {
                if (top > 0 && word.length >= minWordLength) words.add(word);
              },
              onBytes: (bytes) => ctx.progress(doneBytes + bytes, totalBytes, name),
            });
            await ledger.addCounted({ path: name, ...counts }, words);
          } catch (error) {
            // One unreadable file among many is reported in the result; the only one is an error.
            if (isSingle || !(error instanceof ToolError)) throw error;
            await ledger.addSkipped({ path: name, reason: error.message });
          }
        }
        doneBytes += sizeBytes;
        ctx.progress(doneBytes, totalBytes, name);
      }
      await ledger.save();
      return summary(ledger, top);
    },
  });
}

async function countFile(
  directories: AllowedDirectories,
  name: string,
  options: CountOptions,
): Promise<TextCounts> {
  const file = await directories.open(name);
  try {
    return await countText(file, options);
  } finally {
    await file.close();
  }
}

function summary(ledger: CountLedger, top: number): z.input<typeof output> {
  const { counted, skipped, tally } = ledger;
  const sum = (field: keyof z.output<typeof Counts>) =>
    counted.reduce((total, file) => total + file[field], 0);
  return {
    total: {
      lines: sum('lines'),
      words: sum('words'),
      characters: sum('characters'),
      bytes: sum('bytes'),
    },
    files_counted: counted.length,
    files: counted.slice(0, MAX_LISTED),
    top_words: tally.top(top),
    distinct_words: tally.distinct,
    exact: tally.exact,
    files_skipped: skipped.length,
    skipped: skipped.slice(0, MAX_LISTED),
  };
}
