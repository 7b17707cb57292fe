import type { JsonObject, PendingInput, Task, TaskWithOutcome } from '@longshore/core';
import { isTerminal } from '@longshore/core';
import { decodeTaskCursor, encodeTaskCursor, progressNotification } from '@longshore/protocol';
import { wholeOutcome } from '../contents/whole-outcome.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { limitedSignal } from '../tasks/limited-signal.ts';
import { findJob } from './find-job.ts';
import {
  capitalized,
  endedJob,
  failedCall,
  jobFacts,
  jobLine,
  nextStep,
  textResult,
  UNKNOWN_JOB,
  unfinished,
} from './job-text.ts';
import { announcedJobTool, JOB_ID, type JobCaller, type JobTool, READS } from './job-tool.ts';

const LIST_PAGE = 20;

const OFFSET: JsonObject = {
  offset: {
    type: 'integer',
    minimum: 0,
    description: 'Where in a long result to start; 0 unless a page before this one says otherwise.',
  },
};

/** job_wait: waits on the server, so that nobody has to ask again and again. */
export const jobWait: JobTool = {
  scope: 'tasks:read',
  announced: announcedJobTool({
    name: 'job_wait',
    title: 'Wait for a job',
    description:
      'Waits for a background job and returns its result. When the job takes longer than one call may, says how far it is: then call it again.',
    properties: JOB_ID,
    required: ['job_id'],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const found = await findJob(context, caller, args);
    if (found === null) return failedCall(UNKNOWN_JOB);
    if (isTerminal(found.task)) return endedWhole(context, caller, found, 0);
    return wait(context, caller, found.task);
  },
};

/** A result that is too large to be sent is given out in pages of its text all the same. */
async function endedWhole(
  { contents }: ApiContext,
  { principalId: owner }: JobCaller,
  { task, outcome }: TaskWithOutcome,
  offset: number,
): Promise<JsonObject> {
  const whole = await wholeOutcome(contents, { taskId: task.id, owner }, outcome);
  return endedJob(task, whole, offset);
}

/** A client that takes progress waits as long as it takes: it sees that the call is alive. */
async function wait(
  context: ApiContext,
  caller: JobCaller,
  task: Task,
): Promise<JsonObject | null> {
  const { delivery, progressToken: token, principalId } = caller;
  const limited =
    token === null ? limitedSignal(delivery.signal, context.settings.inlineWaitMs) : null;
  let last = Number.NEGATIVE_INFINITY;
  delivery.hold();
  try {
    const ended = await context.watch.until(
      ({ task: now }) => isTerminal(now) || now.state === 'input_required',
      { id: task.id, owner: principalId, sessionId: task.sessionId },
      {
        delivery: {
          requestId: delivery.requestId,
          signal: limited?.signal ?? delivery.signal,
          withdraw: () => delivery.withdraw(),
        },
        callerSessionId: caller.sessionId,
        onRow: () => {},
        onEvent: (event) => {
          if (event.kind !== 'progress' || event.taskId !== task.id || token === null) return;
          if (event.progress <= last) return;
          last = event.progress;
          const { progress, total, message } = event;
          delivery.notify(progressNotification({ token, progress, total, message, taskId: null }));
        },
      },
    );
    if (delivery.signal.aborted) return null;
    const now = ended ?? (await context.tasks.findWithOutcome(task.id, principalId));
    return now === null ? failedCall(UNKNOWN_JOB) : await endedWhole(context, caller, now, 0);
  } finally {
    limited?.release();
  }
}

export const jobStatus: JobTool = {
  scope: 'tasks:read',
  announced: announcedJobTool({
    name: 'job_status',
    title: 'Status of a job',
    description: 'Says how far a background job is, and what it asks, without waiting.',
    properties: JOB_ID,
    required: ['job_id'],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const found = await findJob(context, caller, args);
    if (found === null) return failedCall(UNKNOWN_JOB);
    const { task } = found;
    if (isTerminal(task)) {
      return textResult(`${capitalized(jobLine(task))}. job_result gives what it came to.`, {
        job: jobFacts(task),
      });
    }
    if (task.state !== 'input_required') return unfinished(task);
    const questions = await context.inputs.pending(task.id, caller.principalId);
    return textResult(
      [`${capitalized(jobLine(task))}. ${nextStep(task)}`, ...questions.map(questionText)].join(
        '\n',
      ),
      { job: jobFacts(task), questions: questions.map(questionFacts) },
    );
  },
};

const questionFacts = ({ key, method, params }: PendingInput): JsonObject => ({
  question: key,
  method,
  params,
});

function questionText({ key, params }: PendingInput): string {
  const { message, requestedSchema } = params;
  const form = requestedSchema === undefined ? '' : ` Form: ${JSON.stringify(requestedSchema)}`;
  return `Question ${key}: ${typeof message === 'string' ? message : JSON.stringify(params)}${form}`;
}

export const jobResult: JobTool = {
  scope: 'tasks:read',
  announced: announcedJobTool({
    name: 'job_result',
    title: 'Result of a job',
    description:
      'Returns what a finished background job came to; a long result in parts. Does not wait: job_wait does.',
    properties: { ...JOB_ID, ...OFFSET },
    required: ['job_id'],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const found = await findJob(context, caller, args);
    if (found === null) return failedCall(UNKNOWN_JOB);
    return endedWhole(context, caller, found, Number(args['offset'] ?? 0));
  },
};

export const jobList: JobTool = {
  scope: 'tasks:read',
  announced: announcedJobTool({
    name: 'job_list',
    title: 'List jobs',
    description: 'Lists your background jobs, the newest first.',
    properties: {
      cursor: {
        type: 'string',
        description: 'next_cursor of the page before; leave out to start.',
      },
    },
    required: [],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const { cursor } = args;
    const after = typeof cursor === 'string' ? decodeTaskCursor(cursor) : null;
    const found = await context.tasks.list(caller.principalId, LIST_PAGE + 1, after);
    const page = found.slice(0, LIST_PAGE);
    const last = page.at(-1);
    const next =
      found.length > LIST_PAGE && last !== undefined
        ? encodeTaskCursor({ createdAt: last.createdAt, id: last.id })
        : null;
    const lines = page.length === 0 ? ['There are no jobs.'] : page.map(jobLine);
    return textResult(
      [...lines, ...(next === null ? [] : [`More with cursor ${next}`])].join('\n'),
      {
        jobs: page.map(jobFacts),
        ...(next === null ? {} : { next_cursor: next }),
      },
    );
  },
};
