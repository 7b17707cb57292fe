import { describe, expect, it } from '@jest/globals';
import type { TaskId } from '@longshore/core';
import { decodeEventId, encodeEventId, type StreamPlace } from '../src/legacy/event-id.ts';

const TASK = '8c5c3f7e-9a06-4d3c-8ff5-2f6f6f4f6f6f' as TaskId;
const STREAM = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
const call: StreamPlace = {
  kind: 'call',
  taskId: TASK,
  requestId: 1,
  cursor: '0',
  asked: [],
  stream: STREAM,
};

describe('event ids', () => {
  it.each<[string, StreamPlace]>([
    ['a held call', call],
    ['a text id', { ...call, requestId: '1' }],
    ['an id of any characters', { ...call, requestId: 'ä.\n"\u0000-' }],
    ['a negative id', { ...call, requestId: -7 }],
    ['a wait for a result', { ...call, kind: 'result', cursor: '9223372036854775807' }],
    ['open questions', { ...call, asked: ['12', '15'] }],
    ['an end', { kind: 'ended', stream: STREAM }],
    ['a session', { kind: 'session', changedAtMs: 1_790_000_000_000, asked: [], stream: STREAM }],
    [
      'a session with a question',
      { kind: 'session', changedAtMs: 0, asked: ['3'], stream: STREAM },
    ],
  ])('hold %s and give it back', (_what, place) => {
    const id = encodeEventId(place, 3) ?? '';
    expect(id).toMatch(/^[\x21-\x7e]+$/);
    expect(decodeEventId(id)).toEqual(place);
  });

  it('are different for each event of a stream', () => {
    expect(encodeEventId(call, 1)).not.toBe(encodeEventId(call, 2));
  });

  it('are not given out when the request id is too long to be sent back', () => {
    expect(encodeEventId({ ...call, requestId: 'x'.repeat(600) }, 1)).toBeNull();
  });

  it('keep the newest of very many open questions', () => {
    const asked = Array.from({ length: 40 }, (_, n) => String(n));
    expect(decodeEventId(encodeEventId({ ...call, asked }, 1) ?? '')).toMatchObject({
      asked: asked.slice(8),
    });
  });

  const good = encodeEventId(call, 1) ?? '';
  it.each([
    ['nothing', ''],
    ['a number', '17'],
    ['another letter', `x${good.slice(1)}`],
    ['an end of no stream', 'e'],
    ['no stream', good.slice(0, good.lastIndexOf('.'))],
    ['something after it', `${good}.1`],
    ['a line break', `${good}\n`],
    ['a task id that is none', good.replace(TASK, 'nonsense')],
    ['a cursor that is none', good.replace('.0.', '.x.')],
    ['a request id that is no JSON', good.replace(/\.MQ\./, '.eHg.')],
    [
      'a request id that is null',
      good.replace(/\.MQ\./, `.${Buffer.from('null').toString('base64url')}.`),
    ],
    ['a huge request id', good.replace(/\.MQ\./, `.${'M'.repeat(5_000)}.`)],
  ])('refuse %s', (_what, id) => {
    expect(() => decodeEventId(id)).toThrow(expect.objectContaining({ code: 'INVALID_EVENT_ID' }));
  });
});
