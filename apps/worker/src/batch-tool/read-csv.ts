import { Readable } from 'node:stream';
import { ToolError } from '@longshore/plugin';
import { CsvError, parse } from 'csv-parse';

/** Bytes of a record, which may have many lines. */
const LONGEST_RECORD = 1024 * 1024;

/**
 * The records of a CSV file (RFC 4180) by the names in its first line, all values as text. A field that is
 * empty is left out.
 *
 * @throws {ToolError} no header, a record that is too long or of another length, quotes that do not fit
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, string>> {
  let names: readonly string[] | null = null;
  const parser = parse({
    bom: true,
    max_record_size: LONGEST_RECORD,
    // Found by itself, it is that of the first line, and other lines keep their CR.
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    info: true,
  });
  const source = Readable.from(chunks);
  source.on('error', (error) => parser.destroy(error));
  try {
    for await (const { record, info } of source.pipe(parser) as AsyncIterable<ParsedRecord>) {
      if (names === null) names = headerOf(record);
      else yield named(names, record, info.lines);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new ToolError(explained(error), { cause: error });
  } finally {
    source.destroy();
  }
  if (names === null) throw new ToolError('the file is empty: its first line names the arguments');
}

interface ParsedRecord {
  readonly record: readonly string[];
  /** `lines`: the line that the record ends on. */
  readonly info: { readonly lines: number };
}

function headerOf(fields: readonly string[]): readonly string[] {
  const names = fields.map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length) {
    throw new ToolError(
      'the first line does not name the arguments: a name is empty or comes twice',
    );
  }
  return names;
}

function named(
  names: readonly string[],
  record: readonly string[],
  line: number,
): Record<string, string> {
  if (record.length !== names.length) {
    throw new ToolError(`line ${line} has ${record.length} fields, the first one ${names.length}`);
  }
  const fields = names.map((name, index): [string, string] => [name, record[index] ?? '']);
  return Object.fromEntries(fields.filter(([, value]) => value !== ''));
}

function explained(error: CsvError): string {
  const line = String(error['lines']);
  if (error.code === 'CSV_QUOTE_NOT_CLOSED') {
    return `a quote is never closed: the file ends with it, on line ${line}`;
  }
  if (error.code === 'CSV_MAX_RECORD_SIZE') {
    return `a record has more than ${LONGEST_RECORD} bytes on line ${line}: is a quote never closed?`;
  }
  return `the CSV can not be read: ${error.message}`;
}
