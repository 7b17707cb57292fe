import { type ByteRange, type FileStore, limitedSignal } from '@longshore/core';
import { checkKey } from '../file-key.ts';
import { unavailable } from '../unavailable.ts';
import { untilAborted } from '../until-aborted.ts';
import { inParts } from './in-parts.ts';
import { S3Client, type S3ClientOptions } from './s3-client.ts';

export type { S3Credentials } from './s3-client.ts';

export interface S3FileStoreOptions extends S3ClientOptions {
  /** Bytes sent at once, and held in memory for each file that is being written; 8 MiB by default. */
  readonly partBytes?: number;
}

/** S3 takes no smaller parts, but for the last one; 10,000 parts of 8 MiB are 78 GiB. */
const PART_BYTES = 8 * 1024 * 1024;

/** Whatever happened to the writing, its rest is to be cleared away. */
const ABORT_TIMEOUT_MS = 10_000;

/**
 * Files as objects of a bucket, for processes of many machines. A file of more than one part is a multipart
 * upload, which shows nothing before it is complete.
 */
export class S3FileStore implements FileStore {
  readonly #client: S3Client;
  readonly #partBytes: number;

  constructor(options: S3FileStoreOptions) {
    this.#client = new S3Client(options);
    this.#partBytes = options.partBytes ?? PART_BYTES;
  }

  async write(key: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
    checkKey(key);
    const parts = inParts(untilAborted(source, signal), this.#partBytes);
    try {
      const first = await parts.next();
      const body = first.done === true ? new Uint8Array() : first.value;
      if (body.length < this.#partBytes) {
        await this.#client.send({ method: 'PUT', key, body, signal });
      } else await this.#writeParts(key, body, parts, signal);
    } finally {
      await parts.return(undefined);
    }
  }

  async *read(key: string, range: ByteRange, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const length = range.end - range.start;
    if (length <= 0) return;
    let read = 0;
    const headers = { range: `bytes=${range.start}-${range.end - 1}` };
    const chunks = this.#client.read({ method: 'GET', key: checkKey(key), headers, signal });
    for await (const chunk of chunks) {
      read += chunk.length;
      if (read > length) break;
      yield chunk;
    }
    if (read !== length) {
      throw unavailable('reading a file', new Error('the S3 server sent another range'));
    }
  }

  async delete(key: string): Promise<void> {
    const { signal } = new AbortController();
    await this.#client.send({ method: 'DELETE', key: checkKey(key), signal });
  }

  async #writeParts(
    key: string,
    first: Uint8Array<ArrayBuffer>,
    rest: AsyncGenerator<Uint8Array<ArrayBuffer>>,
    signal: AbortSignal,
  ): Promise<void> {
    const started = await this.#client.send({
      method: 'POST',
      key,
      query: { uploads: '' },
      signal,
    });
    const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(started.text)?.[1];
    if (uploadId === undefined) {
      throw unavailable('writing a file', new Error('the S3 server gave no upload id'));
    }
    const etags: string[] = [];
    const send = async (body: Uint8Array<ArrayBuffer>): Promise<void> => {
      const query = { partNumber: String(etags.length + 1), uploadId };
      const { headers } = await this.#client.send({ method: 'PUT', key, query, body, signal });
      etags.push(headers.get('etag') ?? '');
    };
    try {
      await send(first);
      for await (const part of rest) await send(part);
      const body = new TextEncoder().encode(completion(etags));
      await this.#client.send({ method: 'POST', key, query: { uploadId }, body, signal });
    } catch (error) {
      await this.#abort(key, uploadId);
      throw error;
    }
  }

  /** What is left when this fails too is for the bucket's lifecycle rule: docs/deployment.md. */
  async #abort(key: string, uploadId: string): Promise<void> {
    const limited = limitedSignal(new AbortController().signal, ABORT_TIMEOUT_MS);
    const { signal } = limited;
    await this.#client.send({ method: 'DELETE', key, query: { uploadId }, signal }).catch(() => {});
    limited.release();
  }
}

function completion(etags: readonly string[]): string {
  const parts = etags.map(
    (etag, index) =>
      `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
  );
  return `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
