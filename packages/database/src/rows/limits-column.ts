import type { PrincipalLimits } from '@longshore/core';
import * as z from 'zod';

/** `api_keys.limits`. Members this version does not know are left out. */
export const limitsColumn: z.ZodType<Partial<PrincipalLimits> | null> = z
  .object({
    requestsPerMinute: z.number(),
    concurrentTasks: z.number(),
    queuedTasks: z.number(),
    argumentBytes: z.number(),
    maxTtlMs: z.number(),
    openStreams: z.number(),
    sessions: z.number(),
    schedules: z.number(),
  })
  .partial()
  .transform((limits) => limits as Partial<PrincipalLimits>)
  .nullable();
