import { randomUUID } from 'node:crypto';
import { type NewTask, NO_ABILITIES, type TaskId } from '@longshore/core';

/** A call of the tool in map-plugin.ts, as the API stores it. */
export function batchTask(items: number): NewTask {
  return {
    id: randomUUID() as string as TaskId,
    principalId: randomUUID() as string as NewTask['principalId'],
    authBindingId: randomUUID() as string as NewTask['authBindingId'],
    sessionId: null,
    era: 'legacy',
    requestMethod: 'tools/call',
    abilities: NO_ABILITIES,
    logLevel: null,
    requestId: 1,
    listed: true,
    toolName: 'map',
    toolFingerprint: null,
    arguments: { items },
    progressToken: null,
    queue: 'default',
    maxAttempts: 1,
    timeoutMs: 3_600_000,
    deadlineMs: null,
    ttlMs: 3_600_000,
    enqueue: true,
    outcome: null,
  };
}
