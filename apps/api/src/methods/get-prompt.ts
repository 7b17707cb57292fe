import { type JsonObject, LongshoreError } from '@longshore/core';
import type { GetPromptParams } from '@longshore/protocol';
import type { Caller } from '../calls/caller.ts';
import { shortRequest } from '../calls/short-request.ts';
import type { ApiContext } from './api-context.ts';

/**
 * prompts/get: a worker fills the prompt.
 *
 * @returns null when nobody waits for the answer any more
 * @throws {LongshoreError} UNKNOWN_PROMPT · INVALID_PARAMS when a required argument is missing
 * @see 2025-11-25 server/prompts
 */
export function getPrompt(
  context: ApiContext,
  caller: Caller,
  params: GetPromptParams,
): Promise<JsonObject | null> {
  const prompt = context.catalogue.prompts.find(params.name);
  if (prompt === null) throw new LongshoreError('UNKNOWN_PROMPT', `Unknown prompt: ${params.name}`);
  const missing = prompt.arguments
    .filter(({ name, required }) => required && !Object.hasOwn(params.arguments, name))
    .map(({ name }) => name);
  if (missing.length > 0) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      `Prompt ${prompt.name} needs these arguments as well: ${missing.join(', ')}`,
    );
  }
  return shortRequest(context, caller, {
    method: 'prompts/get',
    target: prompt.name,
    params: { name: prompt.name, arguments: params.arguments },
    policy: prompt.policy,
  });
}
