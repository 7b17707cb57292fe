import type { JsonObject } from '@longshore/core';
import type { ApiContext } from '../methods/api-context.ts';
import { failedCall } from './job-text.ts';
import type { JobCaller, JobTool } from './job-tool.ts';

/** tools/call of a generated tool: answered by the API itself, without a row. */
export function callJobTool(
  context: ApiContext,
  tool: JobTool,
  caller: JobCaller,
  args: JsonObject,
): Promise<JsonObject | null> {
  const problem = context.validator.problem(tool.announced, args);
  if (problem !== null) return Promise.resolve(failedCall(problem));
  return tool.run(context, caller, args);
}
