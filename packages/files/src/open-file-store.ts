import path from 'node:path';
import type { Config } from '@longshore/config';
import { type FileStore, LongshoreError } from '@longshore/core';
import { LocalFileStore } from './local-file-store.ts';
import { S3FileStore } from './s3/s3-file-store.ts';

/**
 * The store that FILE_STORE says. Nothing is looked for before the first file.
 * @throws {LongshoreError} CONFIG_INVALID
 */
export function openFileStore(config: Config): FileStore {
  if (config.FILE_STORE === 'local') {
    // Hidden: no tool gets at it, even if its directories include DATA_DIR.
    return new LocalFileStore(path.resolve(config.DATA_DIR, '.store'));
  }
  const { S3_BUCKET: bucket, S3_REGION: region } = config;
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = config;
  if (bucket === null || accessKeyId === null || secretAccessKey === null) {
    throw new LongshoreError('CONFIG_INVALID', 'FILE_STORE=s3 needs a bucket and credentials');
  }
  return new S3FileStore({
    endpoint: config.S3_ENDPOINT ?? `https://s3.${region}.amazonaws.com`,
    region,
    bucket,
    credentials: { accessKeyId, secretAccessKey, sessionToken: config.AWS_SESSION_TOKEN },
  });
}
