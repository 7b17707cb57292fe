import { type JsonObject, LongshoreError } from '@longshore/core';
import type { CallContext } from '../calls/call-context.ts';
import { failedCall, UNKNOWN_JOB } from '../tasks/job-text.ts';
import { goneForCard, outdatedCard } from './card-answers.ts';
import type { JobCaller, JobTool } from './job-tool.ts';

/** tools/call of a generated tool: answered by the API itself, without a row. */
export async function callJobTool(
  context: CallContext,
  tool: JobTool,
  caller: JobCaller,
  given: JsonObject,
): Promise<JsonObject | null> {
  const args = withTaskId(given);
  const problem = context.validator.problem(tool.announced, args);
  if (problem !== null) return failedCall(problem);
  const outdated = outdatedCard(args);
  if (outdated !== null) return outdated;
  try {
    return await tool.run(context, caller, args);
  } catch (error) {
    // A model can mend that: it is told so as the result of its call.
    if (error instanceof LongshoreError && error.code === 'TASK_NOT_FOUND') {
      const unknown = failedCall(UNKNOWN_JOB);
      return args['card'] === undefined ? unknown : goneForCard(unknown);
    }
    throw error;
  }
}

/** A model that was told of a job calls its id `job_id` as readily: one word on the wire, and either is understood. */
function withTaskId(args: JsonObject): JsonObject {
  const { job_id, ...others } = args;
  return job_id === undefined || 'task_id' in args ? args : { ...others, task_id: job_id };
}
