import { type AnnouncedTool, isTerminal, type JsonObject, type TaskId } from '@longshore/core';
import { lackingCapabilities } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import { startTask } from '../calls/call-row.ts';
import { checkRetry } from '../calls/check-retry.ts';
import { requiredScopes, requireScopes } from '../edge/auth/required-scopes.ts';
import {
  capitalized,
  failedCall,
  jobFacts,
  jobLine,
  nextStep,
  textResult,
} from '../tasks/job-text.ts';
import { parseTaskId, taskNotFound } from '../tasks/owned-tasks.ts';
import {
  announcedJobTool,
  type JobCaller,
  type JobTool,
  RUNS_AGAIN,
  TASK_ID,
  taskIdOf,
} from './job-tool.ts';

/**
 * job_retry: the call of a job that has ended, once more, as a job of its own. What ended never changes. The call needs
 * what it needed the first time: the scope of its tool, and arguments that fit the tool as it is now.
 */
export const jobRetry: JobTool = {
  announced: announcedJobTool({
    name: 'job_retry',
    title: 'Run a job again',
    description:
      'Runs the call of a background job that has ended again, with the same tool and the same arguments, as a new job. To run only the failed items of a batch again call retry_failed.',
    properties: TASK_ID,
    required: ['task_id'],
    annotations: RUNS_AGAIN,
  }),
  async run(context, caller, args) {
    const found = await context.tasks.findCall(parseTaskId(taskIdOf(args)), caller.principalId);
    if (found === null) throw taskNotFound();
    const { task, arguments: given } = found;
    if (!isTerminal(task)) {
      return failedCall(
        `${capitalized(jobLine(task))}: it has not ended, so there is nothing to run again. ${nextStep(task)}`,
      );
    }
    return runAgain(context, caller, task.id, { name: task.toolName, arguments: given });
  },
};

/** Makes a call, as a job of its own, for one that has ended. @throws {LongshoreError} as `JobTool.run` */
export async function runAgain(
  context: CallContext,
  caller: JobCaller,
  id: TaskId,
  call: { readonly name: string; readonly arguments: JsonObject },
): Promise<JsonObject> {
  const { principalId: owner, access } = caller;
  requireScopes(access, requiredScopes('tools/call', call));
  const tool = context.catalogue.tools.find(call.name);
  if (tool === null) {
    return failedCall(`Job ${id} can not be run again: no worker has ${call.name} now.`);
  }
  const problem =
    unfit(context, caller, tool, call.arguments) ??
    (await checkRetry(context, access, owner, call));
  if (problem !== null) {
    return failedCall(`Job ${id} can not be run again as it was called: ${problem}`);
  }
  const row = caller.rowOf(tool, call.arguments);
  const started = await startTask(context, row, context.limitsOf(access));
  caller.delivery.log.audit('task_retried', { kind: 'task', id }, { as: started.id });
  return textResult(
    `The call of job ${id} (${call.name}) runs again, as job ${started.id}. ${nextStep(started)}`,
    { job: jobFacts(started), retry_of: id },
  );
}

/** @returns a sentence for the model when this caller's call of the tool can not run, else null */
function unfit(
  context: Pick<CallContext, 'validator'>,
  { abilities }: JobCaller,
  tool: AnnouncedTool,
  args: JsonObject,
): string | null {
  if (tool.taskSupport === 'forbidden') return `${tool.name} does not run in the background now`;
  const lacking = lackingCapabilities(abilities, tool.requires);
  if (lacking === null) return context.validator.problem(tool, args);
  return `${tool.name} asks its client, and needs one that declares ${Object.keys(lacking).join(', ')}`;
}
