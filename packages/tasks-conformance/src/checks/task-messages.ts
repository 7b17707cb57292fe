import { skip } from '../manifest/violation.ts';
import type { Scene } from '../scene/scene.ts';
import type { StartedTask } from '../tasks/started-task.ts';
import type { Received } from '../wire/inbox.ts';
import { at } from '../wire/json.ts';
import { relatedTask, type Session } from '../wire/session.ts';
import { inTime } from '../wire/waiting.ts';

/** Status notifications of one task, in the order they came. */
function statusNotifications(session: Session, taskId: string): Received[] {
  return session.inbox.received.filter(
    ({ message }) =>
      message.method === 'notifications/tasks/status' && at(message.params, 'taskId') === taskId,
  );
}

/**
 * Progress notifications of a task that is the session's only one. Without sessions the messages of
 * others may come too: then they count when token or metadata are the task's.
 */
export function progressOf(task: StartedTask, token: string | number | undefined): Received[] {
  return task.session.inbox.received.filter(
    ({ message }) =>
      message.method === 'notifications/progress' &&
      (task.session.isOwn ||
        relatedTask(message) === task.id ||
        at(message.params, 'progressToken') === token),
  );
}

/**
 * Runs a task to its end and returns its status notifications. They come on a GET stream; where the server
 * offers none, on the one of tasks/result.
 */
export async function runWithStatus(scene: Scene): Promise<readonly Received[]> {
  const session = await scene.open();
  const listening = await session.listen();
  const task = await scene.start(session, 'slow', { ms: scene.timing.taskMs });
  if (listening === null) await task.outcome();
  else await task.untilEnded();
  await scene.settle();
  const seen = statusNotifications(session, task.id);
  if (seen.length === 0) skip('the server sent no notifications/tasks/status');
  return seen;
}

/** Runs a task to its end, with a GET stream and tasks/result open to hear of its progress. */
export async function runWithProgress(scene: Scene, token: string | number) {
  const session = await scene.open();
  await session.listen();
  const task = await scene.start(
    session,
    'slow',
    { ms: scene.timing.taskMs, steps: 4 },
    { progressToken: token },
  );
  await inTime(task.request().response, {
    signal: scene.signal,
    what: 'the result of a task with progress',
    breaks: 'tasks-result-blocks',
  });
  await scene.settle();
  const progress = progressOf(task, token);
  if (progress.length === 0) skip('the server sent no progress');
  return { session, task, progress };
}
