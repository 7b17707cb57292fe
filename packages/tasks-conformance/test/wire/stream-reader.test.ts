import { describe, expect, it } from '@jest/globals';
import type { JsonRpcMessage } from '../../src/wire/json-rpc.ts';
import { readStream } from '../../src/wire/stream-reader.ts';
import { WireError } from '../../src/wire/wire-error.ts';

const stream = (text: string): Response =>
  new Response(text, { headers: { 'content-type': 'text/event-stream' } });

const message = (id: number): string => `{"jsonrpc":"2.0","id":${id},"result":{}}`;

/** Reads a stream whose connections carry `texts`, one after the other. */
async function read(...texts: readonly string[]) {
  const seen: JsonRpcMessage[] = [];
  const resumedAfter: (string | null)[] = [];
  const rest = texts.slice(1);
  await readStream(stream(texts[0] ?? ''), {
    signal: new AbortController().signal,
    onMessage: (received) => seen.push(received),
    isComplete: () => false,
    resume: (lastEventId) => {
      resumedAfter.push(lastEventId);
      const text = rest.shift();
      return Promise.resolve(text === undefined ? null : stream(text));
    },
  });
  return { ids: seen.map(({ id }) => id), resumedAfter };
}

describe('readStream', () => {
  it('comes back for the rest after the last event it got', async () => {
    const first = `retry: 1\nid: a\ndata: ${message(1)}\n\nid: b\ndata: \n\n`;
    expect(await read(first, `id: c\ndata: ${message(2)}\n\n`)).toEqual({
      ids: [1, 2],
      resumedAfter: ['b', 'c'],
    });
  });

  it('does not come back when it has all', async () => {
    await readStream(stream(`data: ${message(1)}\n\n`), {
      signal: new AbortController().signal,
      onMessage: () => {},
      isComplete: () => true,
      resume: () => Promise.reject(new Error('came back')),
    });
  });

  it.each([
    ['no JSON', 'data: {'],
    ['a batch', `data: [${message(1)}]`],
    ['no JSON-RPC', 'data: {"id":1,"result":{}}'],
    ['an error without a code', 'data: {"jsonrpc":"2.0","id":1,"error":{"message":"x"}}'],
  ])('refuses %s', async (_, text) => {
    await expect(read(`${text}\n\n`)).rejects.toThrow(WireError);
  });
});
