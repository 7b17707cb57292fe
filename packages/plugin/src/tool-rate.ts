import * as z from 'zod';
import { show } from './checks/definition-checks.ts';

/** Runs that may start within a period, over all workers. */
export interface ToolRate {
  /** At least 1. */
  readonly starts: number;
  /** Milliseconds, 1 to 86,400,000 (a day). The period begins with its first start. */
  readonly perMs: number;
}

const LONGEST_PERIOD_MS = 86_400_000;

export const toolRate = z
  .strictObject(
    {
      starts: z
        .int({ error: (issue) => `must be a whole number, not ${show(issue.input)}` })
        .min(1, { error: (issue) => `must be at least 1, not ${show(issue.input)}` }),
      perMs: z
        .int({
          error: (issue) => `must be a whole number of milliseconds, not ${show(issue.input)}`,
        })
        .min(1, { error: (issue) => `must be above 0, not ${show(issue.input)}` })
        .max(LONGEST_PERIOD_MS, {
          error: (issue) => `must be at most ${LONGEST_PERIOD_MS}, not ${show(issue.input)}`,
        }),
    },
    {
      error: (issue) =>
        issue.code === 'invalid_type'
          ? `must be { starts, perMs }, such as { starts: 10, perMs: 60_000 }, not ${show(issue.input)}`
          : undefined,
    },
  )
  .optional();
