import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { readAnswer, type WireClient, type WireStream } from '@longshore/testing/mcp';
import { type LegacyStack, startLegacyStack, startTask } from './support/legacy-stack.ts';

describe('legacy event streams', () => {
  let legacy: LegacyStack;
  let client: WireClient;

  beforeAll(async () => {
    legacy = await startLegacyStack({
      mode: 'postgres',
      environment: { ANONYMOUS_PRINCIPAL: 'session', STREAM_MAX_MS: '400' },
    });
    client = await legacy.newClient();
  });
  afterAll(() => legacy.stack.stop());

  const hold = (of: WireClient, id: string | number = 'held'): Promise<WireStream> =>
    of.open('tools/call', { name: 'narrate', arguments: { steps: 20, stepMs: 60 } }, { id });

  describe('of 2025-11-25', () => {
    it('begin with an event that names them and says when to come back', async () => {
      const taskId = await startTask(client, 'hang');
      for (const stream of [
        await hold(client),
        await client.open('tasks/result', { taskId }),
        await client.listen(),
      ]) {
        await waitFor(() => stream.events.length > 0, { what: 'the first event' });
        expect(stream.events[0]).toEqual({
          id: expect.stringMatching(/^[\x21-\x7e]+$/),
          retry: expect.any(Number),
          message: null,
        });
        stream.close();
      }
      await client.result('tasks/cancel', { taskId });
    });

    it('name every event of a session differently', async () => {
      const streams = [await hold(client, 1), await hold(client, 1), await client.listen()];
      await Promise.all(streams.map((stream) => stream.ended));
      const ids = streams.flatMap(({ events }) =>
        events.flatMap(({ id }) => (id === null ? [] : [id])),
      );
      // Each begins with an event of its own; how many more come before it is old is a matter of the machine.
      expect(ids.length).toBeGreaterThan(streams.length);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('are ended when they are old, and the client that comes back misses nothing', async () => {
      const streams = [await hold(client, 'polled')];
      for (;;) {
        const stream = streams.at(-1);
        if (stream === undefined) throw new Error('no stream');
        await stream.ended;
        if (stream.answer !== undefined) break;
        expect(stream.events.at(-1)).toEqual({
          id: null,
          retry: expect.any(Number),
          message: null,
        });
        streams.push(await client.listen({ lastEventId: stream.lastEventId }));
      }
      expect(streams.length).toBeGreaterThan(2);
      const last = streams.at(-1)?.answer;
      expect(last).toMatchObject({
        id: 'polled',
        result: { content: [{ text: 'took 20 steps' }] },
      });
      const logged = streams
        .flatMap((stream) => stream.of('notifications/message'))
        .map(({ params }) => params?.['data']);
      expect(logged).toEqual([...Array.from({ length: 20 }, (_, n) => `step ${n + 1}`), 'done']);
    });

    it('of a session are ended when they are old as well', async () => {
      const get = await client.listen();
      await get.ended;
      expect(get.events.at(-1)).toMatchObject({ id: null, retry: expect.any(Number) });
      const again = await client.listen({ lastEventId: get.lastEventId });
      again.close();
    });
  });

  describe('of older revisions', () => {
    it('have no empty event, and stay open until the answer', async () => {
      const older = await legacy.newClient({}, '2025-06-18');
      const stream = await hold(older);
      await stream.ended;
      expect(stream.events.every(({ message, retry }) => message !== null && retry === null)).toBe(
        true,
      );
      expect(stream.answer).toMatchObject({ id: 'held' });
    });

    it('can be resumed all the same', async () => {
      const older = await legacy.newClient({}, '2025-06-18');
      const stream = await hold(older);
      await waitFor(() => stream.messages.length > 3, { what: 'it runs' });
      const again = await older.listen({ lastEventId: stream.lastEventId });
      await again.ended;
      expect(again.answer).toMatchObject({ id: 'held' });
    });
  });

  describe('that can not be resumed', () => {
    const STREAM = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';
    const place = (kind: string, taskId: string, request = 'MQ') =>
      `${kind}.${taskId}.${request}.0..${STREAM}-1`;
    const refusal = async (lastEventId: string, by = client) => {
      const { status, last } = await readAnswer(await by.get({ lastEventId }));
      return {
        status,
        code: last.error?.code,
        data: last.error?.data,
        message: last.error?.message,
      };
    };

    it.each([
      ['nonsense', 'nonsense'],
      ['a number', '17'],
      ['half of one', `c.${STREAM}`],
      ['one of another server', `r.${STREAM}.MQ.0.${STREAM}-1`],
      ['one with a broken request id', place('c', STREAM, 'eHg')],
      ['one with words for numbers', `s.now..${STREAM}-1`],
      ['a very long one', 'x'.repeat(4_000)],
    ])('because of %s are refused', async (_what, id) => {
      expect(await refusal(id)).toMatchObject({
        status: 400,
        code: -32602,
        data: { code: 'INVALID_EVENT_ID' },
        message: expect.stringContaining('Last-Event-ID'),
      });
    });

    it('are those of unknown tasks, foreign tasks, other requests and other kinds, all alike', async () => {
      const stranger = await legacy.newClient();
      const call = await hold(client, 1);
      await waitFor(() => call.lastEventId !== null, { what: 'the call is held' });
      const callId = call.lastEventId ?? '';
      const held = callId.split('.')[1] ?? '';
      const task = await startTask(client, 'echo', { text: 'x' });
      const unknown = await refusal(place('c', STREAM));
      expect(unknown).toMatchObject({ status: 400, data: { code: 'INVALID_EVENT_ID' } });
      for (const alike of [
        refusal(place('r', STREAM)),
        refusal(callId, stranger),
        refusal(place('r', task), stranger),
        refusal(place('c', held, 'Mg')),
        refusal(place('r', held)),
        refusal(place('c', task)),
      ]) {
        expect(await alike).toEqual(unknown);
      }
      call.close();
    });

    it('are those of another or no session', async () => {
      const call = await hold(client);
      await waitFor(() => call.lastEventId !== null, { what: 'the call is held' });
      const headers = { accept: 'text/event-stream', 'last-event-id': call.lastEventId ?? '' };
      const url = legacy.stack.urls[0] ?? '';
      expect((await fetch(url, { headers })).status).toBe(400);
      const unknown = { ...headers, 'mcp-session-id': STREAM };
      expect((await fetch(url, { headers: unknown })).status).toBe(404);
      call.close();
    });

    it('do not show calls without a handle to those who know their ids', async () => {
      const call = await hold(client);
      await waitFor(() => call.lastEventId !== null, { what: 'the call is held' });
      const taskId = (call.lastEventId ?? '').split('.')[1];
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
        expect(await client.error(method, { taskId })).toMatchObject({ code: -32602 });
      }
      call.close();
    });

    it('because the request id is too long for a header have no event ids', async () => {
      const stream = await hold(client, 'x'.repeat(1_000));
      await stream.ended;
      expect(stream.events.every(({ id }) => id === null)).toBe(true);
      expect(stream.answer).toMatchObject({ id: 'x'.repeat(1_000) });
    });
  });
});
