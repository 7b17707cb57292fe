import { randomUUID } from 'node:crypto';
import { type NewTask, NO_ABILITIES, type TaskId } from '@longshore/core';
import type { WireClient } from '@longshore/testing/mcp';

export type Owner = Pick<NewTask, 'principalId' | 'authBindingId'>;

export const newOwner = (): Owner => ({
  principalId: randomUUID() as string as NewTask['principalId'],
  authBindingId: randomUUID() as string as NewTask['authBindingId'],
});

/** A call of a tool as the API stores it: listed, queued, for an hour. */
export const newTask = (owner: Owner, toolName: string, args: NewTask['arguments']): NewTask => ({
  principalId: owner.principalId,
  authBindingId: owner.authBindingId,
  id: randomUUID() as string as TaskId,
  sessionId: null,
  era: 'legacy',
  requestMethod: 'tools/call',
  abilities: NO_ABILITIES,
  logLevel: null,
  requestId: 1,
  listed: true,
  toolName,
  toolFingerprint: null,
  arguments: args,
  progressToken: null,
  queue: 'default',
  maxAttempts: 1,
  timeoutMs: 3_600_000,
  deadlineMs: null,
  ttlMs: 3_600_000,
  enqueue: true,
  outcome: null,
});

/** Calls a tool as a task. @returns its id */
export async function startTask(
  session: WireClient,
  name: string,
  args: object,
  meta: object = {},
): Promise<string> {
  const params = { name, arguments: args, task: { ttl: 3_600_000 }, _meta: meta };
  const { task } = await session.result('tools/call', params);
  if (typeof task !== 'object' || task === null || !('taskId' in task)) throw new Error('no task');
  return String(task.taskId);
}
