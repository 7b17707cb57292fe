import { type JsonObject, RETRY_TOOL } from '@longshore/core';
import { canonicalJson } from '../calls/idempotency.ts';
import { failedCall, jobFacts, textResult } from '../tasks/job-text.ts';
import { parseTaskId, taskNotFound, taskPage } from '../tasks/owned-tasks.ts';
import { runsAgain } from './card-answers.ts';
import {
  announcedJobTool,
  type JobTool,
  READS,
  RUNS_AGAIN,
  TASK_ID,
  taskIdOf,
} from './job-tool.ts';
import { runAgain } from './retry-tool.ts';

/** Jobs of a principal that are looked through, the newest first, and how many of them are looked into. */
const LOOKED_THROUGH = 200;
const LOOKED_INTO = 10;

/**
 * job_find: for a card whose host kept nothing of the answer that named the job (MCP Apps gives it the arguments of the call
 * in any case). Only pages call it.
 */
export const jobFind: JobTool = {
  announced: announcedJobTool({
    name: 'job_find',
    title: 'Find the jobs of a call',
    description: 'For the job card: the newest jobs of yours with this tool and these arguments.',
    properties: { tool: { type: 'string' }, arguments: { type: 'object' } },
    required: ['tool', 'arguments'],
    annotations: READS,
  }),
  async run(context, { principalId: owner }, args) {
    const { tasks } = await taskPage(context, owner, {
      cursor: undefined,
      size: LOOKED_THROUGH,
    });
    const likely = tasks.filter(({ toolName }) => toolName === args['tool']).slice(0, LOOKED_INTO);
    const calls = await Promise.all(likely.map(({ id }) => context.tasks.findCall(id, owner)));
    const wanted = canonicalJson(args['arguments'] as JsonObject);
    const found = calls.flatMap((call) =>
      call !== null && canonicalJson(call.arguments) === wanted ? [call.task] : [],
    );
    return textResult(
      found.length === 0 ? 'There is no such job.' : `Jobs of this call: ${found.length}.`,
      {
        jobs: found.map(jobFacts),
      },
    );
  },
};

/**
 * job_retry_failed: the tool retry_failed for the button of a card, which gets the handle of a job at once, never a task.
 * Only pages call it.
 */
export const jobRetryFailed: JobTool = {
  announced: announcedJobTool({
    name: 'job_retry_failed',
    title: 'Run the failed items of a job again',
    description: 'For the job card: runs the failed items of a batch again, as a new job.',
    properties: TASK_ID,
    required: ['task_id'],
    annotations: RUNS_AGAIN,
  }),
  async run(context, caller, args) {
    const id = parseTaskId(taskIdOf(args));
    const counted = await context.contents.items.counts(id, caller.principalId);
    if (counted === null) throw taskNotFound();
    const [batch, ...others] = counted.batches.filter(runsAgain);
    if (!counted.isSettled || batch === undefined || others.length > 0) {
      return failedCall(
        `Job ${id} has no batch, or several, whose failed items can be run again now.`,
      );
    }
    const call = { name: RETRY_TOOL, arguments: { task_id: id, key: batch.key } };
    return runAgain(context, caller, id, call);
  },
};
