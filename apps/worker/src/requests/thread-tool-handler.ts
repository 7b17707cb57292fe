import { type Outcome, toolErrorOutcome } from '@longshore/core';
import type { Tool } from '@longshore/plugin';
import { ThreadRunFailed } from '../threads/served-run.ts';
import type { ToolThreads } from '../threads/thread-pool.ts';
import type { RequestHandler } from './request-handler.ts';
import { toolFailure } from './tool-handler.ts';

/**
 * Answers tools/call of a tool with `isolate: 'thread'`. Arguments are parsed and the result is checked there
 * as well: what zod makes of them need not survive the way between threads, and it may be a lot of work.
 *
 * @param entry absolute path of the module that has the tool
 */
export function threadToolHandler(tool: Tool, entry: string, threads: ToolThreads): RequestHandler {
  return {
    noun: 'tool',
    backoff: tool.policy.backoff,
    promisesStructure: tool.parseOutput !== null,
    prepare: (params) => {
      const run = threads.prepare({ entry, tool: tool.name, arguments: params });
      return {
        kind: 'run',
        run: (scope) => run.start(scope),
        // Runs in threads return outcomes.
        outcomeOf: (returned) => returned as Outcome,
        kill: () => run.kill(),
      };
    },
    failureOf: (thrown) =>
      thrown instanceof ThreadRunFailed ? thrown.failure : toolFailure(thrown),
    failedOutcome: toolErrorOutcome,
  };
}
