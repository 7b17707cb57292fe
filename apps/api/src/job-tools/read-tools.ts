import {
  isTerminal,
  type JsonObject,
  limitedSignal,
  type PendingInput,
  type Task,
} from '@longshore/core';
import type { JsonRpcNotification } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import {
  capitalized,
  jobFacts,
  jobLine,
  nextStep,
  textResult,
  unfinished,
} from '../tasks/job-text.ts';
import { requireTask, requireTaskWithOutcome, taskPage } from '../tasks/owned-tasks.ts';
import { readProgress } from '../watch/read-progress.ts';
import { SilenceTimer } from '../watch/silence-timer.ts';
import { TaskNotices } from '../watch/task-notices.ts';
import {
  announcedJobTool,
  CURSOR,
  type JobCaller,
  type JobTool,
  READS,
  TASK_ID,
  taskIdOf,
} from './job-tool.ts';
import { endedWhole } from './result-tool.ts';

const LIST_PAGE = 20;

/** job_wait: waits on the server, so that nobody has to ask again and again. */
export const jobWait: JobTool = {
  announced: announcedJobTool({
    name: 'job_wait',
    title: 'Wait for a job',
    description:
      'Waits for a background job and returns its result. When the job takes longer than one call may, says how far it is: then call it again.',
    properties: TASK_ID,
    required: ['task_id'],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const found = await requireTaskWithOutcome(context, caller.principalId, taskIdOf(args));
    if (isTerminal(found.task)) return endedWhole(context, caller.principalId, found, 0);
    return wait(context, caller, found.task);
  },
};

/** A client that takes progress waits as long as it takes: it sees that the call is alive. */
async function wait(
  context: CallContext,
  caller: JobCaller,
  task: Task,
): Promise<JsonObject | null> {
  const { delivery, progressToken: token, principalId } = caller;
  const limited =
    token === null ? limitedSignal(delivery.signal, context.settings.inlineWaitMs) : null;
  const notices = new TaskNotices({
    display: context.settings,
    related: false,
  });
  const tell = (notice: JsonRpcNotification | null): void => {
    if (notice !== null) delivery.notify(notice);
  };
  const silence = new SilenceTimer(
    context.settings.progressIntervalMs,
    () => readProgress(context.tasks, { id: task.id, owner: principalId }, token),
    (current) => tell(notices.beat(task.id, token, current)),
  );
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
        // What was told before this wait began, to a client that comes back.
        onRow: ({ progress }) => {
          if (progress === null) return;
          tell(notices.progress({ kind: 'progress', taskId: task.id, token, ...progress }, token));
        },
        onEvent: (event) => {
          if (event.kind !== 'progress' || event.taskId !== task.id) return;
          silence.heard();
          tell(notices.progress(event, token));
        },
      },
    );
    if (delivery.signal.aborted) return null;
    const now = ended ?? (await requireTaskWithOutcome(context, principalId, task.id));
    return await endedWhole(context, principalId, now, 0);
  } finally {
    silence.stop();
    limited?.release();
  }
}

export const jobStatus: JobTool = {
  announced: announcedJobTool({
    name: 'job_status',
    title: 'Status of a job',
    description: 'Says how far a background job is, and what it asks, without waiting.',
    properties: TASK_ID,
    required: ['task_id'],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const task = await requireTask(context, caller.principalId, taskIdOf(args));
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

export const jobList: JobTool = {
  announced: announcedJobTool({
    name: 'job_list',
    title: 'List jobs',
    description: 'Lists your background jobs, the newest first.',
    properties: CURSOR,
    required: [],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const { cursor } = args;
    const from = typeof cursor === 'string' ? cursor : undefined;
    const { tasks, next } = await taskPage(context, caller.principalId, from, LIST_PAGE);
    const lines = tasks.length === 0 ? ['There are no jobs.'] : tasks.map(jobLine);
    return textResult(
      [...lines, ...(next === null ? [] : [`More with cursor ${next}`])].join('\n'),
      {
        jobs: tasks.map(jobFacts),
        ...(next === null ? {} : { next_cursor: next }),
      },
    );
  },
};
