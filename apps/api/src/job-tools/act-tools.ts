import type { PendingInput } from '@longshore/core';
import { cancelOwned } from '../tasks/cancel-task.ts';
import {
  capitalized,
  failedCall,
  jobFacts,
  jobLine,
  nextStep,
  textResult,
  UNKNOWN_JOB,
} from '../tasks/job-text.ts';
import { requireTask } from '../tasks/owned-tasks.ts';
import { announcedJobTool, type JobTool, TASK_ID, taskIdOf } from './job-tool.ts';

export const jobCancel: JobTool = {
  announced: announcedJobTool({
    name: 'job_cancel',
    title: 'Cancel a job',
    description: 'Stops a background job. What it has done stays done; it has no result.',
    properties: TASK_ID,
    required: ['task_id'],
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  }),
  async run(context, { principalId, delivery }, args) {
    const outcome = await cancelOwned(context, principalId, taskIdOf(args), delivery.log);
    const already = outcome.kind === 'cancelled' ? '' : ' already';
    return textResult(`${capitalized(jobLine(outcome.task))}${already}.`, {
      job: jobFacts(outcome.task),
    });
  },
};

/** job_answer: for hosts that show no forms of servers. */
export const jobAnswer: JobTool = {
  announced: announcedJobTool({
    name: 'job_answer',
    title: 'Answer a question of a job',
    description:
      'Answers the question a background job waits with (job_status shows it). Ask the user first: the answer is theirs.',
    properties: {
      ...TASK_ID,
      question: {
        type: 'string',
        description: 'Name of the question; needed only when there are several.',
      },
      action: {
        type: 'string',
        enum: ['accept', 'decline', 'cancel'],
        description:
          'accept: the form is filled in; decline: the user says no; cancel: no decision.',
      },
      content: { type: 'object', description: 'With accept: the fields of the form.' },
    },
    required: ['task_id', 'action'],
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  }),
  async run(context, caller, args) {
    const task = await requireTask(context, caller.principalId, taskIdOf(args));
    const pending = await context.inputs.pending(task.id, caller.principalId);
    const question = chosen(pending, args['question']);
    if (question === null) return failedCall(noSuchQuestion(task.id, pending));
    if (question.method !== 'elicitation/create') {
      return failedCall(
        `Question ${question.key} is ${question.method}, which only a client of this protocol can answer.`,
      );
    }
    const { action, content } = args;
    const outcome = await context.inputs.answer(task.id, caller.principalId, {
      [question.key]: { action, ...(content === undefined ? {} : { content }) },
    });
    if (outcome.kind === 'not_found') return failedCall(UNKNOWN_JOB);
    if (!outcome.keys.includes(question.key)) {
      return failedCall(`Question ${question.key} does not wait for an answer any more.`);
    }
    caller.delivery.log.audit('task_answered', { kind: 'task', id: task.id });
    return textResult(
      `Answered. ${capitalized(jobLine(outcome.task))}. ${nextStep(outcome.task)}`,
      { job: jobFacts(outcome.task) },
    );
  },
};

function chosen(pending: readonly PendingInput[], key: unknown): PendingInput | null {
  if (key !== undefined) return pending.find((question) => question.key === key) ?? null;
  return pending.length === 1 ? (pending[0] ?? null) : null;
}

function noSuchQuestion(jobId: string, pending: readonly PendingInput[]): string {
  if (pending.length === 0) return `Job ${jobId} asks nothing now.`;
  const names = pending.map(({ key }) => key).join(', ');
  return `Job ${jobId} asks several things: say which question you answer (${names}).`;
}
