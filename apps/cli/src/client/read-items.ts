import { parse } from 'csv-parse/sync';
import { CliError, EXIT } from './cli-error.ts';
import { readText, typedValue } from './tool-arguments.ts';

/**
 * The argument sets in a file of this machine.
 *
 * @param inputSchema of the tool, which says what of a CSV file is text
 * @throws {CliError} naming the line that is wrong
 */
export function readItems(file: string, inputSchema: unknown): unknown[] {
  const text = readText(file, '--items').replace(/^\uFEFF/, '');
  const items = itemsIn(file, text, inputSchema);
  if (items.length > 0) return items;
  throw new CliError(EXIT.usage, `--items ${file} has no items: there is nothing to run`);
}

function itemsIn(file: string, text: string, inputSchema: unknown): unknown[] {
  if (/\.csv$/i.test(file)) return csvItems(file, text, inputSchema);
  if (/\.(jsonl|ndjson)$/i.test(file)) return jsonItems(file, text);
  throw new CliError(EXIT.usage, `--items ${file}: name a .jsonl, .ndjson or .csv file`);
}

function jsonItems(file: string, text: string): unknown[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CliError(EXIT.usage, `${file}, line ${index + 1}: not valid JSON: ${reason}`, {
        cause,
      });
    }
  });
}

function csvItems(file: string, text: string, inputSchema: unknown): unknown[] {
  let records: Record<string, string>[];
  try {
    records = parse(text, {
      columns: (names: string[]) => names.map((name) => name.trim()),
      record_delimiter: ['\r\n', '\n'],
      skip_empty_lines: true,
    });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.usage, `--items ${file}: ${reason}`, { cause });
  }
  return records.map((record) =>
    Object.fromEntries(
      Object.entries(record)
        .filter(([, value]) => value !== '')
        .map(([name, value]) => [name, typedValue(value, inputSchema, name)]),
    ),
  );
}
