import { Readable } from 'node:stream';
import { ToolError } from '@longshore/plugin';
import type { AllowedFile } from '@longshore/plugin/files';
import { CsvError, parse } from 'csv-parse';
import { LineSplitter } from '../line-splitter.ts';
import { readText } from '../read-text.ts';

/** Of one row's text, in UTF-16 units; what is longer is cut: a label hardly hangs on it. */
const MAX_ROW_TEXT = 2_000;

/** A CSV row, in bytes; one that is longer has an open quotation mark, most likely. */
const MAX_CSV_ROW = 1_000_000;

export interface Row {
  /** 1-based, without the header. */
  readonly row: number;
  readonly text: string;
}

export interface RowsRequest {
  /** Whose texts are put together; empty: all. */
  readonly columns: readonly string[];
  /** Of CSV. */
  readonly delimiter: string | undefined;
  readonly maxRows: number;
  readonly signal: AbortSignal;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** The file has more. */
  readonly truncated: boolean;
}

/**
 * Reads the rows of a file by its ending: `.csv` and `.tsv` with a header, `.jsonl` and `.ndjson`, or `.txt` with
 * a row a line.
 *
 * @throws {ToolError} another ending, a column that is not there, a row that can not be read
 */
export async function readRows(file: AllowedFile, request: RowsRequest): Promise<Rows> {
  const ending = /\.([a-z]+)$/i.exec(file.name)?.[1]?.toLowerCase();
  switch (ending ?? '') {
    case 'csv':
      return readCsv(file, request, ',');
    case 'tsv':
      return readCsv(file, request, '\t');
    case 'jsonl':
    case 'ndjson':
      return readLines(file, request, (line, number) =>
        jsonText(file, line, number, request.columns),
      );
    case 'txt':
      return readLines(file, request, (line) => line);
    default:
      throw new ToolError(`${file.name} is no .csv, .tsv, .jsonl, .ndjson or .txt`);
  }
}

async function readCsv(file: AllowedFile, request: RowsRequest, usual: string): Promise<Rows> {
  const rows: Row[] = [];
  let truncated = false;
  const parser = parse({
    bom: true,
    columns: true,
    delimiter: request.delimiter ?? usual,
    max_record_size: MAX_CSV_ROW,
    skip_empty_lines: true,
  });
  const source = Readable.from(texts(file, request.signal));
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const record of source.pipe(parser) as AsyncIterable<Record<string, string>>) {
      truncated = rows.length === request.maxRows;
      if (truncated) break;
      if (rows.length === 0) assertColumns(file, record, request.columns);
      rows.push({ row: rows.length + 1, text: textOf(record, request.columns) });
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ToolError(`${file.name} is no proper CSV: ${error.message}`, { cause: error });
  } finally {
    source.destroy();
  }
  return { rows, truncated };
}

async function readLines(
  file: AllowedFile,
  { maxRows, signal }: RowsRequest,
  toText: (line: string, number: number) => string,
): Promise<Rows> {
  const rows: Row[] = [];
  const splitter = new LineSplitter(file.name);
  let number = 0;
  const take = (lines: readonly string[]): boolean => {
    for (const line of lines) {
      number += 1;
      if (line.trim() === '') continue;
      if (rows.length === maxRows) return false;
      const text = toText(line.trim(), number).slice(0, MAX_ROW_TEXT);
      rows.push({ row: rows.length + 1, text });
    }
    return true;
  };
  for await (const text of texts(file, signal)) {
    if (!take(splitter.push(text))) return { rows, truncated: true };
  }
  return { truncated: !take(splitter.end()), rows };
}

async function* texts(
  file: AllowedFile,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  for await (const { text } of readText(file, signal)) yield text;
}

function jsonText(
  file: AllowedFile,
  line: string,
  number: number,
  columns: readonly string[],
): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new ToolError(`line ${number} of ${file.name} is no JSON`, { cause });
  }
  if (typeof value !== 'object' || value === null) return String(value);
  const record = value as Record<string, unknown>;
  assertColumns(file, record, columns);
  return textOf(record, columns);
}

function assertColumns(file: AllowedFile, record: object, columns: readonly string[]): void {
  const there = Object.keys(record);
  const missing = columns.find((column) => !there.includes(column));
  if (missing === undefined) return;
  throw new ToolError(
    `${file.name} has no column ${JSON.stringify(missing)}; it has ${there.slice(0, 50).join(', ')}`,
  );
}

/** The value alone of a single column, else a line for each. */
function textOf(record: Readonly<Record<string, unknown>>, columns: readonly string[]): string {
  const wanted = columns.length === 0 ? Object.keys(record) : columns;
  const values = wanted.map((column) => {
    const value = record[column] ?? '';
    return [column, typeof value === 'string' ? value : JSON.stringify(value)] as const;
  });
  const filled = values.filter(([, value]) => value.trim() !== '');
  const text =
    wanted.length === 1
      ? (filled[0]?.[1] ?? '')
      : filled.map(([column, value]) => `${column}: ${value}`).join('\n');
  return text.slice(0, MAX_ROW_TEXT);
}
