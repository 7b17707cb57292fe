import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { BusMessage, TaskId } from '@longshore/core';
import fc from 'fast-check';
import {
  decodeBusMessage,
  encodeBusMessage,
  MAX_PAYLOAD_BYTES,
  RESYNC_PAYLOAD,
} from '../src/bus/bus-codec.ts';

const taskId = randomUUID() as string as TaskId;

const progress = (message: string, token: string | number = 1): BusMessage => ({
  kind: 'progress',
  taskId,
  token,
  progress: 0.5,
  total: 1,
  message,
});

describe('bus codec', () => {
  it('brings a message back as it was', () => {
    const messages: BusMessage[] = [
      progress('half way', 'token'),
      { kind: 'changed', taskId },
      { kind: 'stream-open', stream: randomUUID(), taskId: null },
      { kind: 'request-cancelled', requestId: 7 },
      { kind: 'catalogue-changed' },
    ];
    for (const message of messages) {
      expect(decodeBusMessage(encodeBusMessage(message))).toEqual(message);
    }
  });

  it('keeps every message within the limit, and what it keeps of a text is its beginning', () => {
    const texts = fc.string({ unit: 'binary', minLength: 0, maxLength: 12_000 });
    fc.assert(
      fc.property(texts, (text) => {
        const encoded = encodeBusMessage(progress(text));
        expect(Buffer.byteLength(encoded)).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
        const event = decodeBusMessage(encoded);
        if (event?.kind !== 'progress') throw new Error('the message is gone');
        const kept = event.message ?? '';
        expect(text === kept || text.startsWith(kept.slice(0, -1))).toBe(true);
        expect(kept).not.toMatch(/[\ud800-\udbff]…$/);
      }),
      { numRuns: 200 },
    );
  });

  it.each(['€', '🚢', '"', '\u0000', 'a'])('uses the limit well for a text of %j', (character) => {
    const encoded = encodeBusMessage(progress(character.repeat(10_000)));
    expect(Buffer.byteLength(encoded)).toBeGreaterThan(MAX_PAYLOAD_BYTES - 12);
    expect(decodeBusMessage(encoded)).toMatchObject({ message: expect.stringMatching(/…$/) });
  });

  it('says resync in place of what can not be shortened', () => {
    const long = 'x'.repeat(MAX_PAYLOAD_BYTES);
    expect(encodeBusMessage({ kind: 'request-cancelled', requestId: long })).toBe(RESYNC_PAYLOAD);
    expect(encodeBusMessage(progress('short', long))).toBe(RESYNC_PAYLOAD);
    expect(decodeBusMessage(RESYNC_PAYLOAD)).toEqual({ kind: 'resync' });
  });

  it.each(['', '{', 'null', '"x"', '{"kind":"changed"}', '{"kind":"changed","taskId":"x"}', '[]'])(
    'takes %j for no message',
    (text) => {
      expect(decodeBusMessage(text)).toBeNull();
    },
  );
});
