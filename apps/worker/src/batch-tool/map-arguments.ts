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
