import { randomUUID } from 'node:crypto';
import { type NewTask, NO_ABILITIES, type TaskId } from '@longshore/core';

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
