import type { OwnedInput, Session } from '@longshore/core';
import {
  type HostedTaskReport,
  hostsTasks,
  parseAnswerAddress,
  parseHostedTask,
  parseHostedTaskCreated,
  type Reply,
} from '@longshore/protocol';
import type { ApiContext } from '../methods/api-context.ts';
import { legacyAbilities } from './legacy-abilities.ts';

/**
 * Takes a client's response to a request of this server, which any replica may have sent: the id leads to
 * the question. A response to what nobody asked, or what is answered, is ignored.
 *
 * @see 2025-11-25 basic/transports, "Sending Messages to the Server"
 */
export async function takeResponse(
  context: ApiContext,
  session: Session,
  id: string | number,
  reply: Reply,
): Promise<void> {
  const address = parseAnswerAddress(id);
  if (address === null) return;
  const found = await context.inputs.store.find(address.id, session.principalId);
  // Only of a task that the client made of the question are status and result asked for.
  if (found === null || (address.part !== 'answer' && found.input.remoteTask === null)) return;
  switch (address.part) {
    case 'answer':
      return takeAnswer(context, session, found, reply);
    case 'status':
      return takeStatus(context, session, found, reply);
    case 'result':
      await context.inputs.answerOne(found, session.principalId, reply);
  }
}

async function takeAnswer(
  context: ApiContext,
  session: Session,
  found: OwnedInput,
  reply: Reply,
): Promise<void> {
  const hosts = hostsTasks(legacyAbilities(session).tasks, found.input.method);
  const created = hosts && 'result' in reply ? parseHostedTaskCreated(reply.result) : null;
  if (created === null) await context.inputs.answerOne(found, session.principalId, reply);
  else await takeReport(context, session, found, created);
}

async function takeStatus(
  context: ApiContext,
  session: Session,
  found: OwnedInput,
  reply: Reply,
): Promise<void> {
  const report = 'result' in reply ? parseHostedTask(reply.result) : null;
  // An answer about another task answers nothing: the next poll may.
  if (report !== null && report.task.taskId !== found.input.remoteTask?.taskId) return;
  if (report !== null) await takeReport(context, session, found, report);
  else await fail(context, session, found, 'error' in reply ? reply.error.message : null);
}

async function takeReport(
  context: ApiContext,
  session: Session,
  found: OwnedInput,
  { task, statusMessage }: HostedTaskReport,
): Promise<void> {
  if (task.status === 'failed' || task.status === 'cancelled') {
    await fail(context, session, found, statusMessage ?? `The client's task ${task.status}`);
  } else if (task.status !== found.input.remoteTask?.status) {
    await context.inputs.noteRemoteTask(found, session, task);
  }
}

/** The client will not answer any more: its task is gone, or came to nothing. */
async function fail(
  context: ApiContext,
  { principalId }: Session,
  found: OwnedInput,
  reason: string | null,
): Promise<void> {
  const message = reason ?? 'The client lost the task it made of the question';
  await context.inputs.answerOne(found, principalId, { error: { code: -32603, message } });
}
