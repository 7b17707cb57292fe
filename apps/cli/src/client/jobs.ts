import * as z from 'zod';

/** A task as the tools `job_*` describe it. */
export const Job = z.looseObject({
  task_id: z.string(),
  tool: z.string(),
  status: z.string(),
  /** Of a task that works: whether a worker has it. */
  phase: z.enum(['queued', 'running']).optional(),
  status_message: z.string().optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
  created_at: z.string(),
});
export type Job = z.output<typeof Job>;

/** What people want to know of a task in one word. */
export const statusOf = ({ status, phase }: Pick<Job, 'status' | 'phase'>): string =>
  phase ?? status;
