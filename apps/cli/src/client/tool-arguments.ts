import { readFileSync } from 'node:fs';
import { CliError, EXIT } from './cli-error.ts';

type Json = Readonly<Record<string, unknown>>;

/**
 * @param file name; - for standard input; or the object itself
 * @throws {CliError} it can not be read, or is no JSON object
 */
export function argumentsOf(file: string): Json {
  const text = file.trimStart().startsWith('{') ? file : readText(file, '--json');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.usage, `--json ${file}: not valid JSON: ${reason}`, { cause });
  }
  if (isObject(value)) return value;
  throw new CliError(
    EXIT.usage,
    `--json ${file}: the arguments of a tool are a JSON object, such as {"path": "."}`,
  );
}

/** @throws {CliError} */
export function readText(file: string, option: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CliError(EXIT.usage, `${option} ${file} can not be read: ${reason}`, { cause });
  }
}

/**
 * @param pairs NAME=VALUE each
 * @param inputSchema of the tool, which says what is text
 * @throws {CliError} a pair is none
 */
export function argumentsOfPairs(pairs: readonly string[], inputSchema: unknown): Json {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) {
        throw new CliError(EXIT.usage, `--arg '${pair}' is no NAME=VALUE, such as path=README.md`);
      }
      const name = pair.slice(0, equals);
      return [name, typedValue(pair.slice(equals + 1), inputSchema, name)];
    }),
  );
}

/** Text where the schema takes text, else JSON; what is no JSON stays text, and the tool says what is wrong. */
export function typedValue(text: string, inputSchema: unknown, name: string): unknown {
  const properties = isObject(inputSchema) ? inputSchema['properties'] : undefined;
  const property = isObject(properties) ? properties[name] : undefined;
  const type = isObject(property) ? property['type'] : undefined;
  if (type === 'string' || (Array.isArray(type) && type.includes('string'))) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
