import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { S3FileStoreOptions } from '../../src/index.ts';

/** A bucket of a real server of the protocol, which checks signatures. */
export interface TestBucket {
  readonly options: S3FileStoreOptions;
  close(): Promise<void>;
}

/**
 * The server named by TEST_S3_ENDPOINT, with the bucket `longshore-test` and the standard AWS variables; else
 * one that is started here from its npm package.
 */
export async function openTestBucket(): Promise<TestBucket> {
  const { TEST_S3_ENDPOINT: endpoint } = process.env;
  const bucket = 'longshore-test';
  if (endpoint !== undefined && endpoint !== '') {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
    const credentials = {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      sessionToken: null,
    };
    return {
      options: { endpoint, region: 'us-east-1', bucket, credentials },
      close: () => Promise.resolve(),
    };
  }
  const directory = await mkdtemp(path.join(tmpdir(), 'longshore-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  return {
    options: {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      bucket,
      // Those that this server knows.
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', sessionToken: null },
    },
    close: async () => {
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}
