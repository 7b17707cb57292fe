import type { Prompt, Resource } from '@longshore/plugin';
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

const Params = z.object({
  argument: z.object({ name: z.string(), value: z.string() }),
  context: z.object({ arguments: z.record(z.string(), z.string()).default({}) }).optional(),
});

/** Answers completion/complete (2025-11-25 server/utilities/completion). */
export function completionHandler(owner: Pick<Prompt | Resource, 'complete'>): RequestHandler {
  return {
    noun: 'completion',
    backoff: NO_BACKOFF,
    promisesStructure: false,
    prepare: (params) => {
      const parsed = Params.safeParse(params);
      if (!parsed.success) {
        return { kind: 'refused', outcome: invalidParamsOutcome(errorText(parsed.error)) };
      }
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
    failureOf: (thrown) => failureOf(thrown, requestErrorOutcome),
    failedOutcome: requestErrorOutcome,
  };
}
