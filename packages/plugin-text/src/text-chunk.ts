import { type FileHandle, open } from 'node:fs/promises';
import {
  defineTool,
  type PluginHost,
  type Tool,
  type ToolContext,
  ToolError,
  z,
} from '@longshore/plugin';
import { AllowedDirectories, createOutputFile, type OutputFile } from '@longshore/plugin/files';
import { CharacterChunker, type Chunk, type Chunker, LineChunker } from './chunkers.ts';
import { readText } from './read-text.ts';

/** Text returned in a result, in UTF-16 units; more is for a file. */
const MAX_RETURNED_TEXT = 262_144;
const MAX_SIZE = 100_000;

const input = z.strictObject({
  path: z.string().min(1).max(4_096).describe('A text file, relative to the allowed directories.'),
  unit: z
    .enum(['characters', 'lines'])
    .default('characters')
    .describe('What size and overlap count.'),
  size: z.int().min(1).max(MAX_SIZE).describe('Characters or lines in a chunk.'),
  overlap: z
    .int()
    .min(0)
    .max(MAX_SIZE / 2)
    .default(0)
    .describe('How many of them each chunk repeats from the one before; at most half of size.'),
  keep_words: z
    .boolean()
    .default(true)
    .describe('End chunks of characters at a space where possible, a little short of size.'),
  save_as: z
    .string()
    .optional()
    .describe(
      'Name of a file for all chunks, one JSON object a line, such as "book.jsonl". Without it the first chunks are returned.',
    ),
  max_chunks: z
    .int()
    .min(1)
    .max(1_000)
    .default(50)
    .describe('Most chunks to return when save_as is not given.'),
});

const output = z.object({
  chunks: z.int().describe('Chunks made.'),
  truncated: z
    .boolean()
    .describe('True when the text goes on after the last returned chunk: use save_as for all.'),
  path: z
    .string()
    .nullable()
    .describe('The file written, readable by other tools of the same user.'),
  bytes: z.int().nullable().describe('Its size.'),
  items: z.array(
    z.object({
      index: z.int(),
      start_line: z.int(),
      start: z.int().describe('Position of its first character in the file.'),
      end: z.int().describe('Position behind its last character.'),
      text: z.string(),
    }),
  ),
});

type Input = z.output<typeof input>;
type Output = z.output<typeof output>;

export function textChunk(host: PluginHost): Tool {
  return defineTool({
    name: 'text_chunk',
    title: 'Split text into chunks',
    description:
      'Splits a text file into chunks of a number of characters or lines, with overlap, for embedding, summarising or classifying piece by piece. Returns the first chunks, or writes all of them to a JSONL file when save_as is given. Reads UTF-8 of any size.',
    input,
    output,
    annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
    task: { timeoutMs: 3_600_000, attempts: 3 },
    async run(request, ctx) {
      if (request.overlap > request.size / 2) {
        throw new ToolError(
          `overlap (${request.overlap}) must be at most half of size (${request.size})`,
        );
      }
      const file = await AllowedDirectories.of(host, ctx).open(request.path);
      try {
        const chunks = chunksOf(file, request, ctx);
        if (request.save_as === undefined) return await firstChunks(chunks, request.max_chunks);
        return await saveChunks(chunks, await createOutputFile(host, ctx, request.save_as));
      } finally {
        await file.close();
      }
    },
  });
}

async function* chunksOf(
  file: Parameters<typeof readText>[0],
  request: Input,
  ctx: ToolContext,
): AsyncGenerator<Chunk, void, undefined> {
  const chunker: Chunker =
    request.unit === 'lines'
      ? new LineChunker(request, file.name)
      : new CharacterChunker(request, request.keep_words);
  for await (const part of readText(file, ctx.signal)) {
    yield* chunker.push(part.text);
    ctx.progress(part.bytesRead, file.sizeBytes);
  }
  yield* chunker.end();
}

async function firstChunks(chunks: AsyncIterable<Chunk>, maxChunks: number): Promise<Output> {
  const items: Chunk[] = [];
  let length = 0;
  let truncated = false;
  for await (const chunk of chunks) {
    length += chunk.text.length;
    truncated = items.length === maxChunks || length > MAX_RETURNED_TEXT;
    if (truncated) break;
    items.push(chunk);
  }
  return { chunks: items.length, truncated, path: null, bytes: null, items };
}

async function saveChunks(chunks: AsyncIterable<Chunk>, file: OutputFile): Promise<Output> {
  let handle: FileHandle | null = null;
  try {
    const out = await open(file.temporaryPath, 'w');
    handle = out;
    let count = 0;
    let lines = '';
    let bytes = 0;
    const write = async (): Promise<void> => {
      bytes += Buffer.byteLength(lines);
      file.grow(bytes);
      await out.write(lines);
      lines = '';
    };
    for await (const chunk of chunks) {
      lines += `${JSON.stringify(chunk)}\n`;
      count += 1;
      if (lines.length > 65_536) await write();
    }
    await write();
    await out.close();
    await file.commit();
    return { chunks: count, truncated: false, path: file.path, bytes, items: [] };
  } finally {
    await handle?.close();
    await file.discard();
  }
}
