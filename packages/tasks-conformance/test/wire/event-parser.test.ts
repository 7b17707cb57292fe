import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseEvents, type ServerSentEvent } from '../../src/wire/event-parser.ts';

async function parse(...chunks: readonly (string | Uint8Array)[]): Promise<ServerSentEvent[]> {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
      }
      controller.close();
    },
  });
  const events: ServerSentEvent[] = [];
  for await (const event of parseEvents(body)) events.push(event);
  return events;
}

const event = (data: string, more: Partial<ServerSentEvent> = {}): ServerSentEvent => ({
  id: null,
  retryMs: null,
  data,
  ...more,
});

describe('parseEvents', () => {
  it('reads id, data and retry, whatever the order', async () => {
    expect(await parse('retry: 20\nid: 7\nevent: message\ndata: {"a":1}\n\n')).toEqual([
      event('{"a":1}', { id: '7', retryMs: 20 }),
    ]);
  });

  it('takes an event with an id and no data for what it is', async () => {
    expect(await parse('id: 1\ndata: \n\ndata: x\n\n')).toEqual([
      event('', { id: '1' }),
      event('x'),
    ]);
  });

  it('joins lines of data, drops one space, ignores comments and what it does not know', async () => {
    expect(await parse(': keep-alive\n\ndata:  a\ndata:b\nfoo: bar\nretry: soon\n\n')).toEqual([
      event(' a\nb'),
    ]);
  });

  it('drops an event that is cut off', async () => {
    expect(await parse('data: a\n\ndata: b\n')).toEqual([event('a')]);
  });

  it('reads the same however the bytes are cut and the lines end', async () => {
    const lines = ['id: é1', 'data: {"text":"grüß\u{1f600}"}', '', 'data: b', 'retry: 5', ''];
    const expected = [event('{"text":"grüß\u{1f600}"}', { id: 'é1' }), event('b', { retryMs: 5 })];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(80), { maxLength: 6 }),
        async (end, cuts) => {
          const bytes = new TextEncoder().encode(`${lines.join(end)}${end}`);
          const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
          const chunks = places.slice(1).map((to, index) => bytes.slice(places[index], to));
          // A lone CR at the very end may be half of a CRLF.
          const events = await parse(...chunks, end === '\r' ? ':\n' : '');
          expect(events).toEqual(expected);
        },
      ),
    );
  });
});
