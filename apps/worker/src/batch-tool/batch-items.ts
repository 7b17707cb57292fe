import type { JsonObject } from '@longshore/core';
import { type PluginHost, type ToolContext, ToolError } from '@longshore/plugin';
import { AllowedDirectories } from '@longshore/plugin/files';
import { readCsv } from './read-csv.ts';
import { readLines } from './read-lines.ts';

/**
 * The argument sets in a file: a JSON object per line, or CSV whose values are made what the tool's schema
 * says. What is no argument set comes as it is, and fails as an item with its index.
 *
 * @throws {ToolError} the file may not be read, or is no such file
 */
export async function* itemsOfFile(
  path: string,
  inputSchema: JsonObject,
  host: Pick<PluginHost, 'directories' | 'dataDir'>,
  ctx: Pick<ToolContext, 'principal'>,
): AsyncGenerator<unknown> {
  const isCsv = /\.csv$/i.test(path);
  if (!isCsv && !/\.(jsonl|ndjson)$/i.test(path)) {
    throw new ToolError(`items_from '${path}': name a .jsonl, .ndjson or .csv file`);
  }
  const file = await AllowedDirectories.of(host, ctx).open(path);
  try {
    const chunks: AsyncIterable<Uint8Array> = file.handle.createReadStream({ autoClose: false });
    if (isCsv) {
      for await (const record of readCsv(chunks)) yield typed(record, inputSchema);
    } else {
      for await (const line of readLines(chunks)) if (line.trim() !== '') yield parsed(line);
    }
  } finally {
    await file.close();
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}

function typed(record: Record<string, string>, { properties }: JsonObject): JsonObject {
  const typesOf = (name: string): readonly unknown[] => {
    const property = isObject(properties) ? properties[name] : undefined;
    const type = isObject(property) ? property['type'] : undefined;
    return Array.isArray(type) ? type : [type];
  };
  return Object.fromEntries(
    Object.entries(record).map(([name, text]) => [name, typedValue(text, typesOf(name))]),
  );
}

/** Stays text where it does not fit: then the tool says what is wrong with it. */
function typedValue(
  text: string,
  types: readonly unknown[],
): string | number | boolean | JsonObject {
  if (types.includes('string')) return text;
  if (types.includes('number') || types.includes('integer')) {
    const value = Number(text);
    return Number.isFinite(value) && text.trim() !== '' ? value : text;
  }
  if (types.includes('boolean') && /^(true|false)$/i.test(text))
    return text.toLowerCase() === 'true';
  const value = types.includes('object') || types.includes('array') ? parsed(text) : text;
  return typeof value === 'object' && value !== null ? (value as JsonObject) : text;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
