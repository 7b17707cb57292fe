import { constants, gunzipSync } from 'node:zlib';
import { ToolError } from '@longshore/plugin';
import type { AllowedFile } from '@longshore/plugin/files';

export const FORMATS = ['csv', 'json', 'parquet'] as const;
export type Format = (typeof FORMATS)[number];

/** The beginning of a file, enough to tell what it is. */
const HEAD_BYTES = 65_536;
/** A compressed head may unpack to this much. */
const MAX_UNPACKED_BYTES = 16_777_216;

const EXTENSIONS: Readonly<Record<string, Format>> = {
  csv: 'csv',
  tsv: 'csv',
  tab: 'csv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  parquet: 'parquet',
  pq: 'parquet',
};

export interface FileFormat {
  readonly format: Format;
  readonly isGzipped: boolean;
  /** The unpacked beginning as text; empty for Parquet. */
  readonly head: string;
}

/**
 * Finds out what a file is: by `wanted`, else by its name. What is in it must agree, because DuckDB's
 * readers take many things for a table of one column.
 *
 * @throws {ToolError} unknown, empty, or not what its name says
 */
export async function detectFormat(
  file: AllowedFile,
  wanted: Format | undefined,
): Promise<FileFormat> {
  const format = wanted ?? formatOfName(file.name);
  if (file.sizeBytes === 0) throw new ToolError(`${file.name} is empty`);
  const buffer = Buffer.alloc(Math.min(HEAD_BYTES, file.sizeBytes));
  const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, 0);
  const raw = buffer.subarray(0, bytesRead);
  const isParquet = raw.subarray(0, 4).toString('latin1') === 'PAR1';
  if (format === 'parquet') {
    if (!isParquet) throw new ToolError(`${file.name} is not a Parquet file`);
    return { format, isGzipped: false, head: '' };
  }
  if (isParquet) {
    throw new ToolError(`${file.name} is a Parquet file, not ${format}: set format to "parquet"`);
  }
  const isGzipped = raw[0] === 0x1f && raw[1] === 0x8b;
  const bytes = isGzipped ? unpack(file, raw) : raw;
  const mark = bytes.subarray(0, 2).toString('hex');
  if (bytes.includes(0) && mark !== 'fffe' && mark !== 'feff') {
    throw new ToolError(`${file.name} is a binary file, not ${format}${guess(raw)}`);
  }
  return { format, isGzipped, head: bytes.toString('latin1') };
}

function formatOfName(name: string): Format {
  const extension = name.toLowerCase().replace(/\.gz$/, '').split('.').at(-1) ?? '';
  const format = EXTENSIONS[extension];
  if (format === undefined) {
    throw new ToolError(
      `${name}: its name does not tell the format; set format to ${FORMATS.map((each) => `"${each}"`).join(', ')}`,
    );
  }
  return format;
}

function unpack(file: AllowedFile, raw: Buffer): Buffer {
  try {
    return gunzipSync(raw.subarray(0, 8_192), {
      // The file goes on behind its head.
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: MAX_UNPACKED_BYTES,
    });
  } catch (cause) {
    throw new ToolError(`${file.name} can not be unpacked`, { cause });
  }
}

function guess(raw: Buffer): string {
  if (raw.subarray(0, 2).toString('latin1') === 'PK')
    return ' (a ZIP archive or an Excel workbook?)';
  if (raw.subarray(0, 15).toString('latin1') === 'SQLite format 3') return ' (an SQLite database?)';
  return '';
}
