import { defineTool, type PluginHost, type Tool, ToolError, z } from '@longshore/plugin';
import { AllowedDirectories } from '@longshore/plugin/files';
import { LineSplitter } from './line-splitter.ts';
import { readText } from './read-text.ts';
import { PatternTooSlowError, SearchThread } from './search-thread.ts';

const MAX_FILES = 10_000;
const MAX_LISTED_SKIPPED = 50;
/** Characters handed to the search thread at once. */
const BATCH_CHARACTERS = 262_144;

const input = z.strictObject({
  path: z
    .string()
    .min(1)
    .max(4_096)
    .describe(
      'A file, a folder (all files below it) or a pattern such as "logs/**/*.log", relative to the allowed directories.',
    ),
  query: z.string().min(1).max(1_000).describe('The text or regular expression to look for.'),
  regex: z
    .boolean()
    .default(false)
    .describe('Take query as a JavaScript regular expression, matched line by line.'),
  ignore_case: z.boolean().default(false).describe('Take A and a for the same.'),
  max_matches: z.int().min(1).max(1_000).default(100).describe('Matching lines to return.'),
});

const output = z.object({
  matches: z.array(
    z.object({
      path: z.string(),
      line: z.int().describe('1-based.'),
      column: z.int().describe('Of the first match in the line, 1-based.'),
      text: z.string().describe('The line, or 400 characters around the match.'),
    }),
  ),
  matching_lines: z.int().describe('All lines that match, returned or not.'),
  truncated: z.boolean().describe('True when more lines match than are returned.'),
  files_searched: z.int(),
  files_with_matches: z.int(),
  files_skipped: z.int(),
  skipped: z
    .array(z.object({ path: z.string(), reason: z.string() }))
    .describe(`Files that are not text, the first ${MAX_LISTED_SKIPPED}.`),
});

type Match = z.output<typeof output>['matches'][number];

export function textSearch(host: PluginHost): Tool {
  return defineTool({
    name: 'text_search',
    title: 'Search text',
    description:
      'Finds the lines that contain a text or match a regular expression, in one text file, a folder, or all files that match a pattern. Returns path, line number, column and the line. Reads UTF-8 of any size; binary files in a folder are listed as skipped.',
    input,
    output,
    annotations: { readOnlyHint: true, openWorldHint: false },
    task: { timeoutMs: 3_600_000, attempts: 2 },
    async run(request, ctx) {
      const { path, max_matches: maxMatches } = request;
      const pattern = toPattern(request);
      const directories = AllowedDirectories.of(host, ctx);
      const files = await directories.list(path, { maxFiles: MAX_FILES, signal: ctx.signal });
      const isSingle = files.length === 1 && files[0]?.name === path;
      const totalBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
      const matches: Match[] = [];
      const skipped: { path: string; reason: string }[] = [];
      let matchingLines = 0;
      let filesWithMatches = 0;
      let doneBytes = 0;
      const thread = new SearchThread(pattern, ctx.signal);
      try {
        for (const { name, sizeBytes } of files) {
          try {
            const found = await searchFile(directories, name, {
              thread,
              signal: ctx.signal,
              limit: maxMatches - matches.length,
              onBytes: (bytes) => ctx.progress(doneBytes + bytes, totalBytes, name),
            });
            matches.push(...found.matches);
            matchingLines += found.count;
            if (found.count > 0) filesWithMatches += 1;
          } catch (error) {
            // One unreadable file among many is reported in the result; the only one is an error.
            if (isSingle || !isUnreadable(error)) throw error;
            skipped.push({ path: name, reason: error.message });
          }
          doneBytes += sizeBytes;
          ctx.progress(doneBytes, totalBytes, name);
        }
      } finally {
        await thread.close();
      }
      return {
        matches,
        matching_lines: matchingLines,
        truncated: matchingLines > matches.length,
        files_searched: files.length - skipped.length,
        files_with_matches: filesWithMatches,
        files_skipped: skipped.length,
        skipped: skipped.slice(0, MAX_LISTED_SKIPPED),
      };
    },
  });
}

interface FileSearch {
  readonly thread: SearchThread;
  readonly signal: AbortSignal;
  /** Matches to return; all are counted. */
  readonly limit: number;
  readonly onBytes: (bytes: number) => void;
}

async function searchFile(
  directories: AllowedDirectories,
  name: string,
  { thread, signal, limit, onBytes }: FileSearch,
): Promise<{ readonly matches: readonly Match[]; readonly count: number }> {
  const file = await directories.open(name);
  const matches: Match[] = [];
  let count = 0;
  let firstLine = 1;
  let batch: string[] = [];
  let batchLength = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    // The last line break would make an empty line that is none.
    const text = batch.join('').replace(/\n$/, '');
    const found = await thread.search({ text, firstLine, limit: limit - matches.length });
    matches.push(...found.matches.map((match) => ({ path: name, ...match })));
    count += found.count;
    firstLine += batch.length;
    batch = [];
    batchLength = 0;
  };
  try {
    const splitter = new LineSplitter(file.name);
    for await (const part of readText(file, signal)) {
      for (const line of splitter.push(part.text)) {
        batch.push(line);
        batchLength += line.length;
      }
      if (batchLength >= BATCH_CHARACTERS) await flush();
      onBytes(part.bytesRead);
    }
    batch.push(...splitter.end());
    await flush();
    return { matches, count };
  } finally {
    await file.close();
  }
}

/** @throws {ToolError} when the query is no regular expression */
function toPattern(request: z.output<typeof input>): RegExp {
  const source = request.regex
    ? request.query
    : request.query.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  const flags = request.ignore_case ? 'i' : '';
  try {
    return new RegExp(source, `${flags}u`);
  } catch {
    // Many expressions from other languages escape what Unicode mode wants unescaped, such as \- or \_.
    try {
      return new RegExp(source, flags);
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ToolError(`query is no JavaScript regular expression: ${reason}`, { cause });
    }
  }
}

function isUnreadable(error: unknown): error is ToolError {
  return error instanceof ToolError && !(error instanceof PatternTooSlowError);
}
