import {
  isTerminal,
  type JsonObject,
  LongshoreError,
  type Session,
  sessionTopic,
  type Task,
} from '@longshore/core';
import { legacyStatus, legacyTask, withRelatedTask } from '@longshore/protocol';
import { resultOf } from '../calls/outcome-error.ts';
import type { Delivery, ResumableDelivery } from '../edge/delivery.ts';
import type { ApiContext } from '../methods/api-context.ts';
import { cancelOwned } from '../tasks/cancel-task.ts';
import { requireTask, requireTaskWithOutcome, taskPage } from '../tasks/owned-tasks.ts';
import { guestWait } from '../watch/guest-wait.ts';
import { streamWait } from '../watch/stream-wait.ts';
import type { WatchOutcome } from '../watch/watch-hub.ts';
import { legacyAbilities } from './legacy-abilities.ts';

/*
 * The methods of tasks. Unknown, expired and foreign tasks are one case.
 *
 * @see 2025-11-25 basic/utilities/tasks
 */

const PAGE_SIZE = 50;

/**
 * tasks/get: one indexed read. A session that looks at a waiting task of another session, such as of the same
 * client before its restart, is a guest at it: its GET stream puts the questions that no other stream has.
 * Not so with tasks of the modern era, whose client has no stream that would show that it is there.
 */
export async function getTask(
  context: ApiContext,
  session: Session,
  params: { taskId: string },
): Promise<JsonObject> {
  const task = await requireTask(context, session.principalId, params.taskId);
  const isForeign = task.sessionId !== null && task.sessionId !== session.id;
  if (isForeign && task.state === 'input_required') {
    await context.bus.publish(sessionTopic(session.id), { kind: 'changed', taskId: task.id });
  }
  return legacyTask(task, context.settings);
}

/** tasks/list: the caller's tasks, newest first; the cursor is the place where the last page ended. */
export async function listTasks(
  context: ApiContext,
  session: Session,
  params: { cursor?: string | undefined },
): Promise<JsonObject> {
  const { tasks, next } = await taskPage(context, session.principalId, {
    cursor: params.cursor,
    size: PAGE_SIZE,
  });
  return {
    tasks: tasks.map((task) => legacyTask(task, context.settings)),
    ...(next === null ? {} : { nextCursor: next }),
  };
}

/**
 * tasks/cancel: the row is cancelled before the answer; the worker that runs it is told, and notices from
 * the database should the message be lost.
 */
export async function cancelTask(
  context: ApiContext,
  session: Session,
  params: { taskId: string },
  delivery: Delivery,
): Promise<JsonObject> {
  const outcome = await cancelOwned(context, session.principalId, params.taskId, delivery.log);
  if (outcome.kind === 'already_terminal') {
    const status = legacyStatus(outcome.task, context.settings.toolErrors);
    throw new LongshoreError(
      'TASK_TERMINAL',
      `Cannot cancel task: already in terminal status '${status}'`,
    );
  }
  return legacyTask(outcome.task, context.settings);
}

/**
 * tasks/result: what the underlying request would have returned. Waits for a task that has not ended,
 * and meanwhile carries its progress, status, logs and questions.
 *
 * @returns null when nobody waits for the answer any more
 * @see 2025-11-25 basic/utilities/tasks, "Retrieving Task Results"
 */
export async function getTaskResult(
  context: ApiContext,
  session: Session,
  params: { taskId: string },
  delivery: ResumableDelivery,
): Promise<JsonObject | null> {
  const found = await requireTaskWithOutcome(context, session.principalId, params.taskId);
  const { id } = found.task;
  const ended = isTerminal(found.task) ? found : await wait(context, session, found.task, delivery);
  return ended === null ? null : withRelatedTask(resultOf(id, ended.outcome), id);
}

async function wait(
  context: ApiContext,
  session: Session,
  task: Task,
  delivery: ResumableDelivery,
): Promise<WatchOutcome> {
  const watched = { id: task.id, owner: session.principalId, sessionId: task.sessionId };
  const abilities = legacyAbilities(session);
  if (task.sessionId !== session.id) {
    return guestWait(context, watched, { sessionId: session.id, abilities }, delivery);
  }
  return streamWait(context, watched, {
    delivery,
    kind: 'result',
    callerSessionId: session.id,
    abilities,
    resumed: null,
    onStream: (stream) => stream.assume(task),
  });
}
