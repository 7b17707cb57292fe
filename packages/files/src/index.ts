export { LocalFileStore } from './local-file-store.ts';
export { openFileStore } from './open-file-store.ts';
export { type S3Credentials, S3FileStore, type S3FileStoreOptions } from './s3/s3-file-store.ts';
