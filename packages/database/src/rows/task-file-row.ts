import type { TaskFile } from '@longshore/core';
import * as z from 'zod';
import { Prisma } from '../generated/client.ts';

/** Columns of a readable file `f`. */
export const FILE_COLUMNS = Prisma.sql`f.id, f.name, f.mime_type, f.size, f.sha256`;

export const TaskFileRow = z.object({
  id: z.string(),
  name: z.string(),
  mime_type: z.string(),
  size: z.coerce.number(),
  sha256: z.instanceof(Uint8Array),
});

export function toTaskFile(row: z.infer<typeof TaskFileRow>): TaskFile {
  return {
    key: row.id,
    name: row.name,
    mimeType: row.mime_type,
    size: row.size,
    sha256: Buffer.from(row.sha256).toString('hex'),
  };
}

/**
 * An hour: when to look after a file that is being written. Much longer than any lease, so a worker that was
 * given up has noticed it by then, and no byte comes after the row is gone.
 */
export const SWEEP_WRITING_AFTER = Prisma.sql`now() + interval '1 hour'`;
