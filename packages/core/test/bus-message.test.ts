import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { SessionId, TaskId } from '../src/brand.ts';
import { BusMessage } from '../src/bus-message.ts';
import { taskTopic } from '../src/topics.ts';

describe('BusMessage', () => {
  it('survives the way over the wire', () => {
    const taskId = randomUUID() as string as TaskId;
    const messages: BusMessage[] = [
      { kind: 'progress', taskId, token: 0, progress: 0.5, total: null, message: 'half' },
      { kind: 'changed', taskId },
      { kind: 'stream-open', stream: randomUUID(), taskId: null },
      { kind: 'request-cancelled', requestId: 'a' },
    ];
    for (const message of messages) {
      expect(BusMessage.parse(JSON.parse(JSON.stringify(message)))).toEqual(message);
    }
  });

  it.each([
    [{ kind: 'changed' }],
    [{ kind: 'changed', taskId: 'x' }],
    [{ kind: 'nonsense' }],
    [null],
  ])('refuses %j', (message) => {
    expect(BusMessage.safeParse(message).success).toBe(false);
  });
});

describe('taskTopic', () => {
  it('is the session’s when there is one, so that all its streams see one order', () => {
    const id = randomUUID() as string as TaskId;
    const sessionId = randomUUID() as string as SessionId;
    expect(taskTopic({ id, sessionId })).toBe(`session:${sessionId}`);
    expect(taskTopic({ id, sessionId: null })).toBe(`task:${id}`);
  });
});
