import type { JsonObject } from '@longshore/core';
import * as z from 'zod';

/** 2025-11-25 server/utilities/completion: "Maximum 100 items per response". */
const MAX_VALUES = 100;

const Completion = z.object({
  completion: z.object({
    values: z.array(z.string()),
    total: z.int().min(0).optional(),
    hasMore: z.boolean().optional(),
  }),
});

/** The answer for an argument that offers no completions. */
export const NO_COMPLETION: JsonObject = {
  completion: { values: [], total: 0, hasMore: false },
};

/** A worker's CompleteResult within the bounds of the specification. */
export function completionResult(result: JsonObject): JsonObject {
  const { completion } = Completion.parse(result);
  const cut = completion.values.length > MAX_VALUES;
  return {
    ...result,
    completion: {
      values: completion.values.slice(0, MAX_VALUES),
      total: completion.total ?? completion.values.length,
      hasMore: cut || (completion.hasMore ?? false),
    },
  };
}
