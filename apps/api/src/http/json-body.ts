import { LongshoreError } from '@longshore/core';
import { isJsonContentType } from '@modelcontextprotocol/server';
import express, { type Request, type Response } from 'express';

/**
 * Levels of objects and arrays in a body. More is nothing a tool wants, and what works on JSON by recursion,
 * Postgres too, runs out of stack some thousands further down.
 */
const MAX_DEPTH = 128;

/** Reads a request's JSON body of bounded size into `request.body`. */
export type JsonBodyReader = (request: Request, response: Response) => Promise<void>;

/**
 * @param maxBytes largest body
 * @returns a reader that rejects with UNSUPPORTED_MEDIA_TYPE, BODY_TOO_LARGE, PARSE_ERROR, or
 *   INVALID_REQUEST for one that is nested too deep or did not come whole
 */
export function jsonBodyReader(maxBytes: number): JsonBodyReader {
  // `strict: false` lets primitives through, which then are refused as no JSON-RPC message.
  const parse = express.json({ limit: maxBytes, strict: false, type: () => true });
  return (request, response) =>
    new Promise((resolve, reject) => {
      const type = request.headers['content-type'];
      if (type !== 'application/json' && !isJsonContentType(type)) {
        throw new LongshoreError('UNSUPPORTED_MEDIA_TYPE', 'Content-Type must be application/json');
      }
      parse(request, response, (error: unknown) => {
        if (error !== undefined) reject(toLongshoreError(error, maxBytes));
        else if (isDeep(request)) reject(tooDeep());
        else resolve();
      });
    });
}

/** A level takes two bytes: what is shorter than that is not looked through. */
function isDeep({ headers, body }: Request): boolean {
  const isPlain = headers['content-encoding'] === undefined;
  if (isPlain && Number(headers['content-length']) < 2 * MAX_DEPTH) return false;
  return isDeeperThan(MAX_DEPTH, body);
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeperThan(levels - 1, item));
}

function tooDeep(): LongshoreError {
  return new LongshoreError('INVALID_REQUEST', `The body is nested over ${MAX_DEPTH} levels deep`);
}

function toLongshoreError(cause: unknown, maxBytes: number): Error {
  const { type, status } = Object(cause) as { type?: unknown; status?: unknown };
  switch (type) {
    case 'entity.parse.failed':
    case 'charset.unsupported':
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
