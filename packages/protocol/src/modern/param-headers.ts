import type { JsonObject } from '@longshore/core';
import { isObject } from '../shared/json-object.ts';
import { decodedHeaderValue, headerMismatch, type RequestHeaders } from './header-values.ts';

/** An argument that clients mirror into a header. */
interface ParamHeader {
  /** The whole header name, such as `Mcp-Param-Region`. */
  readonly header: string;
  /** Property names from the root of the arguments. */
  readonly path: readonly string[];
}

/** RFC 9110 section 5.1: what a header name consists of. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const WHOLE_DECIMAL = /^-?\d+(?:\.0+)?$/;

/**
 * Checks the Mcp-Param-* headers of a tools/call against its arguments, so that whoever routes by a header
 * and whoever runs the tool act on the same value. An argument with a value needs its header, one without
 * (absent or null) must not have it. Integers are compared as numbers, everything else as text.
 *
 * @param inputSchema the tool's; `x-mcp-header` counts only where a chain of `properties` leads to it
 * @throws {LongshoreError} HEADER_MISMATCH
 * @see 2026-07-28 basic/transports/streamable-http, "Custom Headers from Tool Parameters"
 */
export function checkParamHeaders(
  inputSchema: JsonObject,
  args: JsonObject,
  headers: RequestHeaders,
): void {
  for (const { header, path } of paramHeaders(inputSchema, [])) {
    const sent = decodedHeaderValue(headers, header);
    const value = valueAt(args, path);
    if (isMirrored(value)) {
      if (sent === undefined) throw headerMismatch(header, 'is missing');
      if (!says(sent, value)) throw headerMismatch(header, 'does not match the arguments');
    } else if (sent !== undefined) {
      throw headerMismatch(header, 'has no argument to mirror');
    }
  }
}

function paramHeaders(schema: unknown, path: readonly string[]): ParamHeader[] {
  if (!isObject(schema)) return [];
  const name = path.length === 0 ? undefined : schema['x-mcp-header'];
  const own =
    typeof name === 'string' && TOKEN.test(name) ? [{ header: `Mcp-Param-${name}`, path }] : [];
  const properties = schema['properties'];
  if (!isObject(properties)) return own;
  return own.concat(
    Object.entries(properties).flatMap(([key, child]) => paramHeaders(child, [...path, key])),
  );
}

function valueAt(args: JsonObject, path: readonly string[]): unknown {
  let value: unknown = args;
  for (const key of path) {
    if (!isObject(value)) return undefined;
    value = value[key];
  }
  return value;
}

/** Objects and arrays have no header form; the tool's schema refuses them where a header is annotated. */
function isMirrored(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function says(sent: string, value: string | number | boolean): boolean {
  if (!Number.isInteger(value)) return sent === String(value);
  // Outside the safe range two different texts would be the same number.
  return Number.isSafeInteger(value) && WHOLE_DECIMAL.test(sent) && Number(sent) === value;
}
