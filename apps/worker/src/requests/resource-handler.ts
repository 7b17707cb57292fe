import type { Resource } from '@longshore/plugin';
import * as z from 'zod';
import { errorText } from './error-text.ts';
import { failureOf } from './failure.ts';
import type { RequestHandler } from './request-handler.ts';
import {
  invalidParamsOutcome,
  NO_BACKOFF,
  requestErrorOutcome,
  requestOutcome,
  resourceNotFoundOutcome,
} from './request-outcome.ts';

const Params = z.object({ uri: z.string() });

/** Answers resources/read (2025-11-25 server/resources). */
export function resourceHandler(resource: Resource): RequestHandler {
  return {
    noun: 'resource',
    backoff: NO_BACKOFF,
    promisesStructure: false,
    prepare: (params) => {
      const parsed = Params.safeParse(params);
      if (!parsed.success) {
        return { kind: 'refused', outcome: invalidParamsOutcome(errorText(parsed.error)) };
      }
      const { uri } = parsed.data;
      return {
        kind: 'run',
        run: ({ ctx }) => resource.read(uri, ctx),
        outcomeOf: (contents) =>
          contents === null ? resourceNotFoundOutcome(uri) : requestOutcome({ contents }),
      };
    },
    failureOf: (thrown) => failureOf(thrown, requestErrorOutcome),
    failedOutcome: requestErrorOutcome,
  };
}
