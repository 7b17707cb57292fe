import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PluginHost, ToolContext, z } from '@longshore/plugin';
import { createOutputFile } from '@longshore/plugin/files';
import { copyRows } from '../copy-rows.ts';
import { type Column, isNested } from '../describe.ts';
import type { Format } from '../file-format.ts';
import type { QuerySlots } from '../query-slots.ts';
import { withSession } from '../session.ts';
import { columnTypes, identifier, literal } from '../sql-text.ts';

const MIME_TYPES: Readonly<Record<Format, string>> = {
  csv: 'text/csv',
  json: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

type Row = readonly z.core.util.JSONType[];

export interface RowsFile {
  readonly host: PluginHost;
  readonly ctx: ToolContext;
  readonly slots: QuerySlots;
  readonly name: string;
  readonly to: Format;
  readonly columns: readonly Column[];
  /** As results show them. */
  readonly rows: AsyncIterable<Row>;
}

/**
 * Writes rows of a result to a file of the task, with the types they had. BLOBs stay base64, and lists and
 * structs are JSON, as results show them.
 *
 * @returns what names the file to clients, and its size in bytes
 */
export async function saveRows(file: RowsFile): Promise<{ uri: string; bytes: number }> {
  const { host, ctx, slots, name, to, columns } = file;
  const collected = await createOutputFile(host, ctx, name);
  const written = await createOutputFile(host, ctx, name);
  try {
    await collected.watch(ctx.signal, (signal) =>
      pipeline(Readable.from(lines(file.rows)), createWriteStream(collected.temporaryPath), {
        signal,
      }),
    );
    const ownPaths = [collected.temporaryPath, written.temporaryPath];
    await written.watch(ctx.signal, (signal) => {
      const session = { signal, principal: ctx.principal };
      return withSession({ host, ctx: session, slots, tables: new Map(), ownPaths }, (engine) =>
        copyRows(engine, {
          select: typedRows(columns, collected.temporaryPath),
          path: written.temporaryPath,
          to,
        }),
      );
    });
    const { size: bytes } = await stat(written.temporaryPath);
    const content: AsyncIterable<Uint8Array> = createReadStream(written.temporaryPath);
    const { uri } = await ctx.file(name, { mimeType: MIME_TYPES[to] }).save(content);
    return { uri, bytes };
  } finally {
    await Promise.all([collected.discard(), written.discard()]);
  }
}

async function* lines(rows: AsyncIterable<Row>): AsyncGenerator<string> {
  for await (const row of rows) {
    const named = Object.fromEntries(row.map((value, index) => [`c${index}`, value]));
    yield `${JSON.stringify(named)}\n`;
  }
}

/** All values are read as text, from which DuckDB's types are made again. */
function typedRows(columns: readonly Column[], path: string): string {
  const texts = columns.map((_column, index) => ({ name: `c${index}`, type: 'VARCHAR' }));
  const typed = columns.map(
    ({ name, type }, index) => `CAST(c${index} AS ${typeInFile(type)}) AS ${identifier(name)}`,
  );
  return `SELECT ${typed.join(', ')} FROM read_json(${literal(path)}, format='newline_delimited', columns=${columnTypes(texts)})`;
}

function typeInFile(type: string): string {
  // JSON comes as text that may have been cut, so that it is none any more.
  if (type === 'BLOB' || type === 'JSON') return 'VARCHAR';
  return isNested(type) ? 'JSON' : type;
}
