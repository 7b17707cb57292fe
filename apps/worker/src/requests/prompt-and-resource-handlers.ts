import type { JsonValue, Outcome } from '@longshore/core';
import type { Prompt, Resource } from '@longshore/plugin';
import * as z from 'zod';
import { toJsonObject } from '../json/to-json-value.ts';
import { errorText } from './error-text.ts';
import { failureOf } from './failure.ts';
import type { Prepared, RequestHandler } from './request-handler.ts';

const INVALID_PARAMS = -32_602;
const INTERNAL_ERROR = -32_603;

/**
 * What all requests but tools/call have in common: they have no results for failures, so their failures are
 * JSON-RPC errors, and none is run twice, so there is nothing to wait between.
 */
const COMMON = {
  backoff: { baseMs: 0, factor: 1, maxMs: 0 },
  promisesStructure: false,
  failureOf: (thrown: unknown) => failureOf(thrown, requestErrorOutcome),
  failedOutcome: requestErrorOutcome,
} as const;

const PromptParams = z.object({ arguments: z.record(z.string(), z.unknown()).default({}) });

/** Answers prompts/get (2025-11-25 server/prompts). */
export function promptHandler(prompt: Prompt): RequestHandler {
  return {
    ...COMMON,
    noun: 'prompt',
    prepare: (params) => {
      try {
        const args = prompt.parseArguments(PromptParams.parse(params).arguments);
        return { kind: 'run', run: ({ ctx }) => prompt.run(args, ctx), outcomeOf: requestOutcome };
      } catch (error) {
        return refused(`Invalid arguments for prompt '${prompt.name}': ${errorText(error)}`);
      }
    },
  };
}

const ResourceParams = z.object({ uri: z.string() });

/** Answers resources/read (2025-11-25 server/resources). */
export function resourceHandler(resource: Resource): RequestHandler {
  return {
    ...COMMON,
    noun: 'resource',
    prepare: (params) => {
      const parsed = ResourceParams.safeParse(params);
      if (!parsed.success) return refused(errorText(parsed.error));
      const { uri } = parsed.data;
      return {
        kind: 'run',
        run: ({ ctx }) => resource.read(uri, ctx),
        outcomeOf: (contents) =>
          contents === null ? notFoundOutcome(uri) : requestOutcome({ contents }),
      };
    },
  };
}

const CompletionParams = z.object({
  argument: z.object({ name: z.string(), value: z.string() }),
  context: z.object({ arguments: z.record(z.string(), z.string()).default({}) }).optional(),
});

/** Answers completion/complete (2025-11-25 server/utilities/completion). */
export function completionHandler(owner: Pick<Prompt | Resource, 'complete'>): RequestHandler {
  return {
    ...COMMON,
    noun: 'completion',
    prepare: (params) => {
      const parsed = CompletionParams.safeParse(params);
      if (!parsed.success) return refused(errorText(parsed.error));
      const { argument, context } = parsed.data;
      return {
        kind: 'run',
        run: ({ ctx: { signal, principal } }) =>
          owner.complete(argument.name, argument.value, {
            signal,
            principal,
            arguments: context?.arguments ?? {},
          }),
        outcomeOf: (completion) => requestOutcome({ completion }),
      };
    },
  };
}

/** The result of a method, as JSON. */
function requestOutcome(result: unknown): Outcome {
  try {
    return { kind: 'result', isError: false, result: toJsonObject(result) };
  } catch (error) {
    return requestErrorOutcome(`The result is not usable: ${errorText(error)}`);
  }
}

function requestErrorOutcome(text: string): Outcome {
  return { kind: 'error', error: { code: INTERNAL_ERROR, message: text } };
}

function refused(message: string): Prepared {
  return { kind: 'refused', outcome: invalidParamsOutcome(message) };
}

/** No such resource; whoever serves the era picks its code by `data.code`. */
function notFoundOutcome(uri: string): Outcome {
  return invalidParamsOutcome(`Resource not found: ${uri}`, { code: 'RESOURCE_NOT_FOUND', uri });
}

function invalidParamsOutcome(message: string, data?: JsonValue): Outcome {
  return {
    kind: 'error',
    error: { code: INVALID_PARAMS, message, ...(data === undefined ? {} : { data }) },
  };
}
