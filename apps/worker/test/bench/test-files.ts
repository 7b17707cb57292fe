import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FileRecords } from '@longshore/core';
import { LocalFileStore } from '@longshore/files';
import type { WorkerOptions } from '../../src/index.ts';

export const MAX_FILE_BYTES = 1_000_000;
export const MAX_PRINCIPAL_FILE_BYTES = 2_000_000;

/** Room for files and results; the directory is made with the first file. */
export function testFiles(records: FileRecords): Pick<WorkerOptions, 'files' | 'results'> & {
  readonly directory: string;
} {
  const directory = path.join(tmpdir(), `longshore-worker-${randomUUID()}`);
  return {
    directory,
    files: {
      store: new LocalFileStore(directory),
      records,
      limits: { fileBytes: MAX_FILE_BYTES, principalBytes: MAX_PRINCIPAL_FILE_BYTES },
    },
    results: { inlineBytes: 65_536, maxBytes: 67_108_864 },
  };
}
