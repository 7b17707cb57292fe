import { type JsonObject, type Outcome, toolErrorOutcome } from '@longshore/core';
import type { MaybePromise, Tool, ToolContext } from '@longshore/plugin';
import { errorText } from './error-text.ts';
import { type Failure, failureOf } from './failure.ts';
import type { RequestHandler } from './request-handler.ts';
import { toolOutcome } from './tool-outcome.ts';

/** A call of a tool whose arguments fit, ready to run, or the outcome of one whose arguments do not. */
export type PreparedTool =
  | {
      readonly kind: 'run';
      readonly run: (ctx: ToolContext) => MaybePromise<unknown>;
      readonly outcomeOf: (returned: unknown) => Outcome;
    }
  | { readonly kind: 'refused'; readonly outcome: Outcome };

/** Checks the arguments of a call. Never throws. */
export function prepareTool(tool: Tool, params: JsonObject): PreparedTool {
  try {
    const input = tool.parseInput(params);
    return {
      kind: 'run',
      run: (ctx) => tool.run(input, ctx),
      outcomeOf: (returned) => toolOutcome(tool, returned),
    };
  } catch (error) {
    const text = `Invalid arguments for tool '${tool.name}': ${errorText(error)}`;
    return { kind: 'refused', outcome: toolErrorOutcome(text) };
  }
}

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
