import path from 'node:path';

/** Where the embedded PostgreSQL keeps its things, apart from the files that tools write. */
export function embeddedDirectory(dataDir: string): string {
  return path.join(dataDir, 'postgres');
}
