import { GroupedCalls, type GroupedCallsOptions, LongshoreError } from '@longshore/core';

type Parts<Input, Output> = Pick<
  GroupedCallsOptions<Input, Output>,
  'name' | 'run' | 'keyOf' | 'weightOf'
> & { readonly maxGroupSize?: number };

/*
 * 500 rows and 4 Mi characters of JSON: above 100 rows a row gets no cheaper, and a statement stays well
 * under a second and a message under what either side wants to hold in memory. Two in flight: while one
 * waits for its commit the other one's rows are worked on; a third adds nothing on the machines tried.
 * 20,000 waiting: some seconds of work. Who comes later had better try another process.
 */
const BOUNDS = {
  maxGroupSize: 500,
  maxGroupWeight: 4 * 1024 * 1024,
  maxInFlight: 2,
  maxWaiting: 20_000,
} as const;

/** Grouped calls whose groups are one statement each. `weightOf` counts characters. */
export function groupForDatabase<Input, Output>(
  parts: Parts<Input, Output>,
): GroupedCalls<Input, Output> {
  return new GroupedCalls({
    ...BOUNDS,
    ...parts,
    overflowCode: 'DATABASE_UNAVAILABLE',
    isSharedFailure: (error) => error instanceof LongshoreError && error.retryable,
  });
}
