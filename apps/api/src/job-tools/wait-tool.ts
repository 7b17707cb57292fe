import {
  isTerminal,
  type JsonObject,
  LongshoreError,
  limitedSignal,
  type Task,
} from '@longshore/core';
import type { JsonRpcNotification } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import {
  callOf,
  capitalized,
  failedCall,
  jobFacts,
  jobLine,
  questionStep,
  resultStep,
  textResult,
} from '../tasks/job-text.ts';
import { findTask, requireTaskWithOutcome } from '../tasks/owned-tasks.ts';
import { readProgress } from '../watch/read-progress.ts';
import { SilenceTimer } from '../watch/silence-timer.ts';
import { TaskNotices } from '../watch/task-notices.ts';
import type { WatchOptions, WatchOutcome } from '../watch/watch-hub.ts';
import { announcedJobTool, type JobCaller, type JobTool, READS, TASK_ID } from './job-tool.ts';
import { endedWhole } from './result-tool.ts';

/** Jobs that one call waits for: each has its row read now and then. */
const MOST_JOBS = 50;

/** There is something for the caller to do. */
const hasNews = (task: Task): boolean => isTerminal(task) || task.state === 'input_required';

/** job_wait: waits on the server, so that nobody has to ask again and again. */
export const jobWait: JobTool = {
  announced: announcedJobTool({
    name: 'job_wait',
    title: 'Wait for jobs',
    description:
      'Waits for a background job and returns its result. Of several jobs, or of all that run when none is named, waits until one of them has ended or asks something, and says where each stands. When that takes longer than one call may, says how far they are: then call it again.',
    properties: {
      ...TASK_ID,
      task_ids: {
        type: 'array',
        items: { type: 'string' },
        minItems: 1,
        maxItems: MOST_JOBS,
        description: 'In place of task_id: ids of several jobs.',
      },
    },
    required: [],
    annotations: READS,
  }),
  async run(context, caller, args) {
    const { task_id: id, task_ids: ids } = args;
    if (id !== undefined && ids !== undefined) {
      return failedCall('Give task_id or task_ids, not both.');
    }
    if (typeof id === 'string') return waitForResult(context, caller, id);
    if (Array.isArray(ids)) return waitForNamed(context, caller, [...new Set(ids.map(String))]);
    return waitForAny(context, caller);
  },
};

async function waitForResult(
  context: CallContext,
  caller: JobCaller,
  id: string,
): Promise<JsonObject | null> {
  const { principalId } = caller;
  const found = await requireTaskWithOutcome(context, principalId, id);
  if (isTerminal(found.task)) return endedWhole(context, principalId, found, 0);
  const news = await firstNews(context, caller, [found.task]);
  if (caller.delivery.signal.aborted) return null;
  const now = news ?? (await requireTaskWithOutcome(context, principalId, found.task.id));
  return endedWhole(context, principalId, now, 0);
}

async function waitForNamed(
  context: CallContext,
  caller: JobCaller,
  ids: readonly string[],
): Promise<JsonObject | null> {
  const look = () => Promise.all(ids.map((id) => findTask(context, caller.principalId, id)));
  const tasks = (await look()).filter((task) => task !== null);
  const unknown = ids.filter((id) => !tasks.some((task) => task.id === id.toLowerCase()));
  if (unknown.length > 0) {
    return failedCall(
      `There is no job ${unknown.join(', ')}: unknown, expired, or of somebody else. Call ${callOf('job_list', {})} for the jobs there are.`,
    );
  }
  await untilNews(context, caller, tasks);
  if (caller.delivery.signal.aborted) return null;
  const now = (await look()).filter((task) => task !== null);
  const open = now.filter((task) => !hasNews(task)).map(({ id }) => id);
  return standOf(now, open.length === 0 ? null : { task_ids: open });
}

/** Those that have not ended, of whatever host of the caller's. */
async function waitForAny(context: CallContext, caller: JobCaller): Promise<JsonObject | null> {
  const { principalId } = caller;
  const open = async (): Promise<Task[]> => {
    const asking = await context.tasks.list(principalId, MOST_JOBS, null, 'input_required');
    const working = await context.tasks.list(principalId, MOST_JOBS, null, 'working');
    return [...asking, ...working].slice(0, MOST_JOBS);
  };
  const tasks = await open();
  if (tasks.length === 0) {
    return textResult(
      `No job runs or asks. Call ${callOf('job_list', {})} for those that have ended.`,
      { jobs: [] },
    );
  }
  await untilNews(context, caller, tasks);
  if (caller.delivery.signal.aborted) return null;
  const now = await Promise.all(tasks.map(({ id }) => findTask(context, principalId, id)));
  const known = now.filter((task) => task !== null);
  return standOf(known, known.every(isTerminal) ? null : {});
}

async function untilNews(
  context: CallContext,
  caller: JobCaller,
  [first, ...others]: readonly Task[],
): Promise<void> {
  if (first === undefined || hasNews(first) || others.some(hasNews)) return;
  await firstNews(context, caller, [first, ...others]);
}

/** @param next arguments of the call that waits for the others; null: there are none */
function standOf(tasks: readonly Task[], next: JsonObject | null): JsonObject {
  const lines = tasks.map((task) => {
    const step = isTerminal(task)
      ? ` ${resultStep(task)}`
      : hasNews(task)
        ? ` ${questionStep(task)}`
        : '';
    return `${capitalized(jobLine(task))}.${step}`;
  });
  if (next !== null) {
    lines.push(`Call ${callOf('job_wait', next)} to wait for the next, or go on with other work.`);
  }
  return textResult(lines.join('\n'), { jobs: tasks.map(jobFacts) });
}

/**
 * Waits until one of the jobs has ended or asks, for as long as the call may take. A client that takes progress waits as
 * long as it takes: it sees that the call is alive, and of one job how far it is.
 *
 * @returns null: of none there is news, or nobody waits any more
 */
async function firstNews(
  context: CallContext,
  caller: JobCaller,
  tasks: readonly [Task, ...Task[]],
): Promise<WatchOutcome> {
  const { delivery, progressToken: token } = caller;
  const limited =
    token === null ? limitedSignal(delivery.signal, context.settings.inlineWaitMs) : null;
  const found = new AbortController();
  const signal = AbortSignal.any([limited?.signal ?? delivery.signal, found.signal]);
  const { stop, ...told } = tellProgress(context, caller, tasks);
  delivery.hold();
  const waits = tasks.map((task) =>
    context.watch
      .until(
        ({ task: now }) => hasNews(now),
        { id: task.id, owner: caller.principalId, sessionId: task.sessionId },
        {
          delivery: {
            requestId: delivery.requestId,
            signal,
            withdraw: () => delivery.withdraw(),
          },
          callerSessionId: caller.sessionId,
          ...told,
        },
      )
      .catch((error: unknown) => {
        // One of several that is gone is news as well: who looks at them all sees that.
        if (tasks.length > 1 && isGone(error)) return null;
        throw error;
      }),
  );
  try {
    return await Promise.race(waits);
  } finally {
    found.abort();
    await Promise.allSettled(waits);
    stop();
    limited?.release();
  }
}

const isGone = (error: unknown): boolean =>
  error instanceof LongshoreError && error.code === 'TASK_NOT_FOUND';

/** What a client that takes progress hears while it waits: how far the job is; of several, that the call is alive. */
function tellProgress(
  context: CallContext,
  { delivery, progressToken: token, principalId }: JobCaller,
  [first, ...others]: readonly [Task, ...Task[]],
): Pick<WatchOptions, 'onRow' | 'onEvent'> & { readonly stop: () => void } {
  const { id } = first;
  const isOne = others.length === 0;
  const notices = new TaskNotices({ display: context.settings, related: false });
  const tell = (notice: JsonRpcNotification | null): void => {
    if (notice !== null) delivery.notify(notice);
  };
  const silence = new SilenceTimer(
    context.settings.progressIntervalMs,
    async () => (isOne ? readProgress(context.tasks, { id, owner: principalId }, token) : null),
    (current) => tell(notices.beat(id, token, current)),
  );
  return {
    // What was told before this wait began, to a client that comes back.
    onRow: ({ progress }) => {
      if (!isOne || progress === null) return;
      tell(notices.progress({ kind: 'progress', taskId: id, token, ...progress }, token));
    },
    onEvent: (event) => {
      if (!isOne || event.kind !== 'progress' || event.taskId !== id) return;
      silence.heard();
      tell(notices.progress(event, token));
    },
    stop: () => silence.stop(),
  };
}
