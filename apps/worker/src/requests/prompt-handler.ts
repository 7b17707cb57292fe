import type { Prompt } from '@longshore/plugin';
import * as z from 'zod';
import { errorText } from './error-text.ts';
import { failureOf } from './failure.ts';
import type { RequestHandler } from './request-handler.ts';
import {
  invalidParamsOutcome,
  NO_BACKOFF,
  requestErrorOutcome,
  requestOutcome,
} from './request-outcome.ts';

const Params = z.object({ arguments: z.record(z.string(), z.unknown()).default({}) });

/** Answers prompts/get (2025-11-25 server/prompts). */
export function promptHandler(prompt: Prompt): RequestHandler {
  return {
    noun: 'prompt',
    backoff: NO_BACKOFF,
    promisesStructure: false,
    prepare: (params) => {
      try {
        const args = prompt.parseArguments(Params.parse(params).arguments);
        return { kind: 'run', run: ({ ctx }) => prompt.run(args, ctx), outcomeOf: requestOutcome };
      } catch (error) {
        const text = `Invalid arguments for prompt '${prompt.name}': ${errorText(error)}`;
        return { kind: 'refused', outcome: invalidParamsOutcome(text) };
      }
    },
    failureOf: (thrown) => failureOf(thrown, requestErrorOutcome),
    failedOutcome: requestErrorOutcome,
  };
}
