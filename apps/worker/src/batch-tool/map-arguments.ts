import { type MapOptions, z } from '@longshore/plugin';

/* What the tools that run batches are told alike. */

export const CONCURRENCY = z
  .int()
  .min(1)
  .max(1_000)
  .optional()
  .describe('Runs at once at most, over all workers.');

export const STOP_AFTER_FAILURES = z
  .int()
  .min(1)
  .optional()
  .describe('After so many failed items nothing more is started.');

export const RESULT_MODE = z
  .enum(['summary', 'failures_only', 'all'])
  .default('failures_only')
  .describe('What the result shows beside the counts: nothing, what failed, or everything.');

export type ResultMode = z.output<typeof RESULT_MODE>;

export function mapOptions(input: {
  readonly concurrency?: number | undefined;
  readonly stop_after_failures?: number | undefined;
  readonly result_mode: ResultMode;
}): MapOptions {
  const { concurrency, stop_after_failures: stopAfterFailures } = input;
  return {
    resultMode: input.result_mode,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(stopAfterFailures === undefined ? {} : { stopAfterFailures }),
  };
}

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
