export { describeFileStore, type FileStoreUnderTest } from './describe-file-store.ts';
export { describeService } from './describe-service.ts';
export { describeToolStarts } from './describe-tool-starts.ts';
