import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeFileStore } from '@longshore/testing/suites';
import { S3FileStore } from '../src/index.ts';
import { openTestBucket, type TestBucket } from './support/s3-server.ts';

const PART_BYTES = 5 * 1024 * 1024;
const never = new AbortController().signal;
const some = async function* (bytes: number): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(bytes, 1);
};

let bucket: TestBucket;
let store: S3FileStore;

beforeAll(async () => {
  bucket = await openTestBucket();
  store = new S3FileStore({ ...bucket.options, partBytes: PART_BYTES });
});
afterAll(() => bucket.close());

describeFileStore('a bucket', () => ({ store, largeBytes: 2 * PART_BYTES + 100_001 }));

it('takes a file of exactly one part, and of two', async () => {
  for (const parts of [1, 2]) {
    const key = `exactly-${parts}`;
    await store.write(key, some(parts * PART_BYTES), never);
    let read = 0;
    const range = { start: 0, end: parts * PART_BYTES };
    for await (const chunk of store.read(key, range, never)) read += chunk.length;
    expect(read).toBe(parts * PART_BYTES);
  }
});

it('says that its credentials are refused, and does not say what they are', async () => {
  const secretAccessKey = 'never-to-be-shown';
  const credentials = { ...bucket.options.credentials, secretAccessKey };
  const stranger = new S3FileStore({ ...bucket.options, credentials });
  const error = await stranger.write('some-key', some(10), never).catch((thrown) => thrown);
  expect(error).toMatchObject({
    code: 'FILE_STORE_UNAVAILABLE',
    message: 'The store of files did not answer. Try again.',
    diagnosis: expect.stringContaining('403 SignatureDoesNotMatch'),
  });
  expect(`${error.stack}${error.cause.stack}`).not.toContain(secretAccessKey);
});

describe('a server that is not well', () => {
  const withServer = async (
    listener: RequestListener,
    use: (ill: S3FileStore) => Promise<void>,
    timeoutMs?: number,
  ): Promise<void> => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    try {
      const limit = timeoutMs === undefined ? {} : { timeoutMs };
      await use(new S3FileStore({ ...bucket.options, endpoint, partBytes: PART_BYTES, ...limit }));
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  };

  it('is asked again when it says so, with the same bytes', async () => {
    const bodies: number[] = [];
    await withServer(
      (request, response) => {
        let bytes = 0;
        request.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        request.on('end', () => {
          bodies.push(bytes);
          response.writeHead(bodies.length < 3 ? 503 : 200).end();
        });
      },
      async (ill) => {
        await ill.write('some-key', some(1_000), never);
      },
    );
    expect(bodies).toEqual([1_000, 1_000, 1_000]);
  });

  it('is not asked again what it has refused', async () => {
    let requests = 0;
    await withServer(
      (_request, response) => {
        requests += 1;
        response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
      },
      async (ill) => {
        await expect(ill.delete('some-key')).rejects.toMatchObject({
          diagnosis: expect.stringContaining('403 AccessDenied'),
        });
      },
    );
    expect(requests).toBe(1);
  });

  it('is given up when it does not answer', async () => {
    await withServer(
      () => {},
      async (ill) => {
        await expect(ill.delete('some-key')).rejects.toMatchObject({
          code: 'FILE_STORE_UNAVAILABLE',
          diagnosis: expect.stringContaining('no answer within 300 ms'),
        });
      },
      300,
    );
  });

  it('has said that an upload failed after it said that it is fine', async () => {
    const methods: string[] = [];
    await withServer(
      (request, response) => {
        methods.push(`${request.method} ${/\?(\w+)/.exec(request.url ?? '')?.[1] ?? ''}`);
        request.resume().on('end', () => {
          const isStart = request.url?.endsWith('uploads=') === true;
          const isPart = request.method === 'PUT';
          response.writeHead(200, { etag: '"e"' });
          if (isStart) response.end('<X><UploadId>id</UploadId></X>');
          else if (isPart || request.method === 'DELETE') response.end();
          else response.end('<Error><Code>InternalError</Code></Error>');
        });
      },
      async (ill) => {
        await expect(ill.write('some-key', some(PART_BYTES + 1), never)).rejects.toMatchObject({
          diagnosis: expect.stringContaining('InternalError'),
        });
      },
    );
    expect(methods.at(0)).toBe('POST uploads');
    expect(methods.at(-1)).toBe('DELETE uploadId');
  });
});
