import { type JsonObject, type Session, sessionTopic } from '@longshore/core';
import { legacyTask } from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';
import { requireTask } from '../tasks/owned-tasks.ts';

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
