import type { Outcome, OutcomeKind, PendingInput, Task, TaskId } from '@longshore/core';

const base = {
  id: '8c5c3f7e-9a06-4d3c-8ff5-2f6f6f4f6f6f' as TaskId,
  listed: true,
  requestId: 1,
  logLevel: null,
  sessionId: null,
  era: 'modern',
  toolName: 't',
  progressToken: null,
  progress: null,
  statusMessage: null,
  isHeld: false,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
  updatedAt: new Date('2026-01-02T03:04:06.789Z'),
  ttlMs: 60_000,
} as const;

export type OpenState = 'working' | 'input_required' | 'cancelled';

export function openTask(state: OpenState, fields: Partial<Task> = {}): Task {
  return { ...base, ...fields, state };
}

export function finishedTask(outcomeKind: OutcomeKind, fields: Partial<Task> = {}): Task {
  return { ...base, ...fields, state: 'finished', outcomeKind };
}

export const OUTCOMES: Readonly<Record<OutcomeKind, Outcome>> = {
  result: {
    kind: 'result',
    isError: false,
    result: { content: [{ type: 'text', text: 'ok' }], isError: false },
  },
  tool_error: {
    kind: 'result',
    isError: true,
    result: { content: [{ type: 'text', text: 'no disk' }], isError: true },
  },
  error: {
    kind: 'error',
    error: { code: -32603, message: 'upstream is gone', data: { code: 'INTERNAL' } },
  },
};

const form: Omit<PendingInput, 'key'> = {
  id: 'b5b4f1f0-35c1-4f0c-9be8-0a4e5c9f7e11' as PendingInput['id'],
  eventId: '12',
  remoteTask: null,
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string' } } },
  },
};

export function question(key: string, fields: Partial<PendingInput> = {}): PendingInput {
  return { ...form, key, ...fields };
}
