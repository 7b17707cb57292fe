import { z } from '@longshore/plugin';
import { CONCURRENCY, RESULT_MODE, STOP_AFTER_FAILURES } from './map-arguments.ts';

/** Arguments of `retry_failed`. Those of a task say which one it is the retry of. */
export const RetryInput = z.strictObject({
  task_id: z.uuid().describe('Of the task (or job) whose failed items are to be run again.'),
  key: z
    .string()
    .min(1)
    .optional()
    .describe('Which batch, for a task of a tool that made several of them.'),
  include_skipped: z
    .boolean()
    .default(false)
    .describe('Also runs the items that were never run, because the batch was stopped.'),
  concurrency: CONCURRENCY,
  stop_after_failures: STOP_AFTER_FAILURES,
  result_mode: RESULT_MODE,
});
