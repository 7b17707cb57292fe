import { toolErrorOutcome } from '@longshore/core';
import type { Tool } from '@longshore/plugin';
import { type Failure, failureOf } from './failure.ts';
import { prepareTool } from './prepare-tool.ts';
import type { RequestHandler } from './request-handler.ts';

/** Answers tools/call: failures are results that models can read. */
export function toolHandler(tool: Tool): RequestHandler {
  return {
    noun: 'tool',
    backoff: tool.policy.backoff,
    promisesStructure: tool.parseOutput !== null,
    prepare: (params) => {
      const prepared = prepareTool(tool, params);
      return prepared.kind === 'refused'
        ? prepared
        : { ...prepared, run: ({ ctx }) => prepared.run(ctx) };
    },
    failureOf: toolFailure,
    failedOutcome: toolErrorOutcome,
  };
}

/** What an error that a tool threw means. */
export function toolFailure(thrown: unknown): Failure {
  return failureOf(thrown, toolErrorOutcome);
}
