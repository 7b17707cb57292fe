import { ToolError } from '@longshore/plugin';
import { readLines } from './read-lines.ts';

/** Characters of a record, which may have many lines. */
const LONGEST_RECORD = 1024 * 1024;

/**
 * The records of a CSV file (RFC 4180) by the names in its first line, all values as text. A field that is
 * empty is left out.
 *
 * @throws {ToolError} no header, a record of another length, a quote that is never closed
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Record<string, string>> {
  let header: readonly string[] | null = null;
  let number = 0;
  for await (const fields of readRecords(readLines(chunks))) {
    number += 1;
    if (header === null) {
      header = headerOf(fields);
      continue;
    }
    if (fields.length === 1 && fields[0] === '') continue;
    if (fields.length !== header.length) {
      throw new ToolError(
        `record ${number} has ${fields.length} fields, the first one ${header.length}`,
      );
    }
    const named = header.map((name, index): [string, string] => [name, fields[index] ?? '']);
    yield Object.fromEntries(named.filter(([, value]) => value !== ''));
  }
  if (header === null) throw new ToolError('the file is empty: its first line names the arguments');
}

function headerOf(fields: readonly string[]): readonly string[] {
  const [first = '', ...others] = fields;
  const names = [first.replace(/^\uFEFF/, ''), ...others].map((name) => name.trim());
  if (names.includes('') || new Set(names).size < names.length) {
    throw new ToolError(
      'the first line does not name the arguments: a name is empty or comes twice',
    );
  }
  return names;
}

async function* readRecords(lines: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let open = '';
  for await (const line of lines) {
    const record = open === '' ? line : `${open}\n${line}`;
    // Quotes come in pairs, but for the one that is still open.
    const isOpen = record.split('"').length % 2 === 0;
    if (!isOpen) yield fieldsOf(record);
    open = isOpen ? record : '';
    if (open.length > LONGEST_RECORD) break;
  }
  if (open !== '') throw new ToolError(`a quote is never closed, near: ${open.slice(0, 60)}`);
}

function fieldsOf(record: string): readonly string[] {
  const fields: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < record.length; at += 1) {
    const character = record.charAt(at);
    if (character === '"') {
      if (isQuoted && record.charAt(at + 1) === '"') {
        field += '"';
        at += 1;
      } else {
        isQuoted = !isQuoted;
      }
    } else if (character === ',' && !isQuoted) {
      fields.push(field);
      field = '';
    } else {
      field += character;
    }
  }
  return [...fields, field];
}
