import {
  isTerminal,
  type PendingInput,
  TASK_STATUSES,
  type TaskId,
  type TaskStatus,
} from '@longshore/core';
import {
  callOf,
  capitalized,
  jobFacts,
  jobLine,
  resultStep,
  textResult,
  unfinished,
} from '../tasks/job-text.ts';
import { requireTask, taskPage } from '../tasks/owned-tasks.ts';
import { CARD, cardStatus, questionFacts } from './card-answers.ts';
import { announcedJobTool, CURSOR, type JobTool, READS, TASK_ID, taskIdOf } from './job-tool.ts';

const LIST_PAGE = 20;

export const jobStatus: JobTool = {
  announced: announcedJobTool({
    name: 'job_status',
    title: 'Status of a job',
    description: 'Says how far a background job is, and what it asks, without waiting.',
    properties: { ...TASK_ID, ...CARD },
    required: ['task_id'],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const task = await requireTask(context, caller.principalId, taskIdOf(args));
    if (args['card'] !== undefined) return cardStatus(context, caller, task);
    if (isTerminal(task)) {
      return textResult(`${capitalized(jobLine(task))}. ${resultStep(task)}`, {
        job: jobFacts(task),
      });
    }
    if (task.state !== 'input_required') return unfinished(task);
    const questions = await context.inputs.pending(task.id, caller.principalId);
    return textResult(
      [
        `${capitalized(jobLine(task))}. It waits for an answer, which is the user's to give:`,
        ...questions.map((question) => questionText(task.id, question)),
      ].join('\n'),
      { job: jobFacts(task), questions: questions.map(questionFacts) },
    );
  },
};

function questionText(taskId: TaskId, { key, method, params }: PendingInput): string {
  const { message, requestedSchema } = params;
  const text = `Question ${key}: ${typeof message === 'string' ? message : JSON.stringify(params)}`;
  if (method !== 'elicitation/create') return text;
  const answer = callOf('job_answer', { task_id: taskId, question: key, action: 'accept' });
  if (requestedSchema === undefined) return `${text} Then call ${answer}.`;
  return `${text} Form: ${JSON.stringify(requestedSchema)} Then call ${answer}, with the form's fields as content.`;
}

export const jobList: JobTool = {
  announced: announcedJobTool({
    name: 'job_list',
    title: 'List jobs',
    description: 'Lists your background jobs, the newest first.',
    properties: {
      status: { type: 'string', enum: [...TASK_STATUSES], description: 'Only jobs that are so.' },
      ...CURSOR,
    },
    required: [],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const { cursor } = args;
    const status = (args['status'] as TaskStatus | undefined) ?? null;
    const page = { cursor: typeof cursor === 'string' ? cursor : undefined, size: LIST_PAGE };
    const { tasks, next } = await taskPage(context, caller.principalId, page, status);
    const none = status === null ? 'There are no jobs.' : `No job is ${status}.`;
    const lines = tasks.length === 0 ? [none] : tasks.map(jobLine);
    const more = { ...(status === null ? {} : { status }), cursor: next };
    return textResult(
      [...lines, ...(next === null ? [] : [`Call ${callOf('job_list', more)} for more.`])].join(
        '\n',
      ),
      {
        jobs: tasks.map(jobFacts),
        ...(next === null ? {} : { next_cursor: next }),
      },
    );
  },
};
