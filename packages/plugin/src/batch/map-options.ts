import * as z from 'zod';
import { LONGEST_TIMER_MS } from '../checks/definition-checks.ts';
import type { MapOptions, ResultMode } from './batch-types.ts';

/** The options of a map with their defaults; null: left out. */
export interface CheckedMapOptions {
  readonly key: string | null;
  readonly chunk: number | null;
  readonly concurrency: number | null;
  readonly itemAttempts: number | null;
  readonly itemTimeoutMs: number | null;
  readonly stopAfterFailures: number | null;
  readonly resultMode: ResultMode;
}

const count = (max: number) => z.int().min(1).max(max).nullable().default(null);

const Options = z.strictObject({
  key: z.string().min(1).max(128).nullable().default(null),
  chunk: count(10_000),
  concurrency: count(1_000),
  itemAttempts: count(100),
  itemTimeoutMs: count(LONGEST_TIMER_MS),
  stopAfterFailures: count(Number.MAX_SAFE_INTEGER),
  resultMode: z.enum(['all', 'failures_only', 'summary']).default('all'),
});

/** @throws {TypeError} that names each option that is wrong */
export function checkMapOptions(options: MapOptions = {}): CheckedMapOptions {
  const checked = Options.safeParse(options);
  if (checked.success) return checked.data;
  throw new TypeError(`options of ctx.map: ${z.prettifyError(checked.error)}`);
}
