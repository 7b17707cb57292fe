import type { AdmittedJob } from '@longshore/core';
import * as z from 'zod';
import { taskIdColumn } from './columns.ts';

/** A task whose job is to be added. */
export const AdmittedRow = z.object({ id: taskIdColumn, queue: z.string() });

export function toAdmittedJob(row: z.infer<typeof AdmittedRow>): AdmittedJob {
  return { taskId: row.id, queue: row.queue };
}
