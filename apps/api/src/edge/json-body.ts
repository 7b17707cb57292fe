import { LongshoreError } from '@longshore/core';
import { isJsonContentType } from '@modelcontextprotocol/server';
import express, { type Request, type Response } from 'express';
import { type JsonShape, measureJson } from './json-shape.ts';

declare global {
  namespace Express {
    interface Request {
      /** What it counts for among the requests of its principal; set with the body. */
      cost?: number;
    }
  }
}

/**
 * Levels of objects and arrays in a body. More is nothing a tool wants, and what works on JSON by recursion,
 * Postgres too, runs out of stack some thousands further down.
 */
const MAX_DEPTH = 128;
/** A body at either of these keeps the process busy for some 100 ms, in which nobody else is served. */
const MAX_NAMES = 20_000;
const MAX_VALUES = 200_000;
/** So many bytes or names take about as long as a request without any. */
const BYTES_PER_REQUEST = 16_384;
const NAMES_PER_REQUEST = 100;

/** Reads a request's JSON body of bounded size into `request.body`. */
export type JsonBodyReader = (request: Request, response: Response) => Promise<void>;

/**
 * @param maxBytes largest body
 * @returns a reader that rejects with UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, PARSE_ERROR, or
 *   INVALID_REQUEST for one that has too much in it, is nested too deep or did not come whole
 */
export function jsonBodyReader(maxBytes: number): JsonBodyReader {
  const read = express.raw({ limit: maxBytes, type: () => true });
  return (request, response) =>
    new Promise((resolve, reject) => {
      const type = request.headers['content-type'];
      if (type !== 'application/json' && !isJsonContentType(type)) {
        throw new LongshoreError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
      }
      read(request, response, (error: unknown) => {
        try {
          if (error !== undefined) throw toLongshoreError(error, maxBytes);
          parseBody(request);
          resolve();
        } catch (refusal) {
          reject(refusal);
        }
      });
    });
}

function parseBody(request: Request): void {
  const bytes: unknown = request.body;
  request.body = undefined;
  if (!Buffer.isBuffer(bytes) || bytes.length === 0) return;
  const shape = measureJson(bytes, MAX_NAMES);
  request.cost =
    1 + Math.floor(bytes.length / BYTES_PER_REQUEST) + Math.floor(shape.names / NAMES_PER_REQUEST);
  requireNarrow(shape);
  request.body = parse(bytes);
  // Only now, for the answer is to name the request. The parser does not mind.
  if (shape.levels > MAX_DEPTH) {
    throw new LongshoreError('INVALID_REQUEST', `The body is nested over ${MAX_DEPTH} levels deep`);
  }
}

/** Before the body is parsed, which takes most of the time. */
function requireNarrow({ names, values }: JsonShape): void {
  if (names <= MAX_NAMES && values <= MAX_VALUES) return;
  throw new LongshoreError(
    'INVALID_REQUEST',
    `The body has over ${MAX_NAMES} different names of members or ${MAX_VALUES} values: give large data as a file or as text`,
  );
}

/** JSON is UTF-8 whatever a charset says (RFC 8259, 8.1); a byte order mark is skipped. */
function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch {
    // Its message quotes the body.
    throw new LongshoreError('PARSE_ERROR', 'Parse error: the body is not JSON in UTF-8');
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function toLongshoreError(cause: unknown, maxBytes: number): Error {
  const { type, status } = Object(cause) as { type?: unknown; status?: unknown };
  switch (type) {
    case 'encoding.unsupported':
      return new LongshoreError('PARSE_ERROR', 'Parse error: the body is not JSON in UTF-8', {
        cause,
      });
    case 'entity.too.large':
      return new LongshoreError('BODY_TOO_LARGE', `The body is over ${maxBytes} bytes`, { cause });
    case 'request.aborted':
    case 'request.size.invalid':
      return new LongshoreError('INVALID_REQUEST', 'The body did not arrive whole', { cause });
    default:
      // What can not be decompressed: its error is zlib's and has no type.
      if (status === 400) {
        return new LongshoreError('PARSE_ERROR', 'The body is not what Content-Encoding says', {
          cause,
        });
      }
      return new Error('the body could not be read', { cause });
  }
}
