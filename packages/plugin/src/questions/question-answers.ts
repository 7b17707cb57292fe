import * as z from 'zod';
import type { SamplingResult } from './sampling.ts';

/** Clients' answers; unknown members pass, for later revisions add some. */
export const ElicitAnswer = z.looseObject({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.record(z.string(), z.unknown()).optional(),
});

const Block = z.looseObject({ type: z.string() });

export const SamplingAnswer: z.ZodType<SamplingResult> = z.looseObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([Block, z.array(Block)]),
  model: z.string(),
  stopReason: z.string().optional(),
}) as unknown as z.ZodType<SamplingResult>;

export const RootsAnswer = z.looseObject({
  roots: z.array(
    z
      .looseObject({ uri: z.string(), name: z.string().optional() })
      .transform(({ uri, name }) => ({ uri, ...(name === undefined ? {} : { name }) })),
  ),
});
