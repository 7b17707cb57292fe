import {
  type AnnouncedPrompt,
  type AnnouncedResource,
  type JsonObject,
  LongshoreError,
} from '@longshore/core';
import { type CompleteParams, completionResult, NO_COMPLETION } from '@longshore/protocol';
import type { Caller } from '../calls/caller.ts';
import { shortRequest } from '../calls/short-request.ts';
import { addressOf } from '../catalogue/catalogue.ts';
import type { ApiContext } from './api-context.ts';

/**
 * completion/complete: a worker suggests values for an argument of a prompt or a variable of a resource
 * template. Nothing is suggested for those that offer no completions.
 *
 * @returns null when nobody waits for the answer any more
 * @throws {LongshoreError} UNKNOWN_PROMPT · INVALID_PARAMS for an unknown resource
 * @see 2025-11-25 server/utilities/completion
 */
export async function complete(
  context: ApiContext,
  caller: Caller,
  params: CompleteParams,
): Promise<JsonObject | null> {
  const { entry, target } = find(context, params.ref);
  if (!entry.completes.includes(params.argument.name)) return NO_COMPLETION;
  const result = await shortRequest(context, caller, {
    method: 'completion/complete',
    target,
    params: {
      ref: params.ref,
      argument: params.argument,
      context: { arguments: params.context?.arguments ?? {} },
    },
    policy: entry.policy,
  });
  return result === null ? null : completionResult(result);
}

function find(
  { catalogue }: ApiContext,
  ref: CompleteParams['ref'],
): { entry: AnnouncedPrompt | AnnouncedResource; target: string } {
  if (ref.type === 'ref/prompt') {
    const entry = catalogue.prompts.find(ref.name);
    if (entry === null) throw new LongshoreError('UNKNOWN_PROMPT', `Unknown prompt: ${ref.name}`);
    return { entry, target: entry.name };
  }
  const entry = catalogue.templates.find(ref.uri) ?? catalogue.resources.find(ref.uri);
  if (entry === null) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      `Unknown resource template: ${ref.uri} (completions are for the address as it is listed)`,
    );
  }
  return { entry, target: addressOf(entry) };
}
