import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { FetchFailure } from '../fetch-failure.ts';

/** What requests say they take. */
export const ACCEPTED_ENCODINGS = 'gzip, br';

/**
 * Reads a body, decompressed, up to a size: neither what comes over the wire nor what it unpacks to may be
 * larger, so a few kilobytes that unpack to gigabytes end early.
 *
 * @throws {FetchFailure} TOO_LARGE, or BAD_RESPONSE for an encoding nobody asked for
 */
export async function readBody(
  body: Readable,
  encoding: string,
  maxBytes: number,
): Promise<Buffer> {
  const parts: Buffer[] = [];
  const wire = limited(maxBytes);
  const unpacked = limited(maxBytes);
  const collect = async (source: AsyncIterable<Buffer>): Promise<void> => {
    for await (const part of unpacked(source)) parts.push(part);
  };
  const decoder = decoderOf(encoding);
  if (decoder === null) await pipeline(body, collect);
  else await pipeline(body, wire, decoder, collect);
  return Buffer.concat(parts);
}

function limited(maxBytes: number) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    let bytes = 0;
    for await (const part of source) {
      bytes += part.length;
      if (bytes > maxBytes) {
        throw new FetchFailure('TOO_LARGE', `is larger than ${maxBytes} bytes`);
      }
      yield part;
    }
  };
}

function decoderOf(encoding: string) {
  switch (encoding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return null;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new FetchFailure('BAD_RESPONSE', 'is compressed in a way nobody asked for');
  }
}
