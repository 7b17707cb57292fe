import * as z from 'zod';
import type { JsonRecord } from '../json.ts';
import type { SamplingRequest } from './sampling.ts';

const Block = z.looseObject({
  type: z.enum(['text', 'image', 'audio', 'tool_use', 'tool_result']),
});

const Request = z.looseObject({
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['user', 'assistant']),
        content: z.union([Block, z.array(Block)]),
      }),
    )
    .min(1),
  maxTokens: z.int().min(1),
});

/**
 * Params of sampling/createMessage, checked for what the compiler may not have seen.
 *
 * @throws {TypeError}
 */
export function checkSamplingRequest(request: SamplingRequest): JsonRecord {
  const checked = Request.safeParse(request);
  if (!checked.success) {
    throw new TypeError(
      `sample takes { messages: [{ role, content }], maxTokens, ... }: ${z.prettifyError(checked.error)}`,
    );
  }
  // What is left beside JSON shows when the host stores it.
  return checked.data as JsonRecord;
}
