import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient, WireStream } from '@longshore/testing/mcp';
import { type Stack, startStack } from './support/stack.ts';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const LIBRARY = path.join(FIXTURES, 'library-plugin.js');
const ANNEX = path.join(FIXTURES, 'annex-plugin.js');

const uris = (stream: WireStream): unknown[] =>
  stream.messages
    .filter(({ method }) => method === 'notifications/resources/updated')
    .map(({ params }) => params?.['uri']);
const changes = (stream: WireStream): string[] =>
  stream.messages.flatMap(({ method = '' }) => (method.endsWith('/list_changed') ? [method] : []));

/** 2025-11-25 server/prompts, server/resources and completion, over two replicas. */
function promptsAndResources(mode: Mode): void {
  let stack: Stack;
  let client: WireClient;

  beforeAll(async () => {
    stack = await startStack({ mode, apis: 2, workers: 1, environment: { PLUGINS: LIBRARY } });
    client = new WireClient(...stack.urls);
    await client.initialize();
    for (const replica of [0, 1]) {
      await waitFor(
        async () =>
          JSON.stringify(await client.result('prompts/list', {}, { replica })).includes('greeting'),
        { what: `the catalogue is there at API ${replica}` },
      );
    }
  });
  afterAll(() => stack.stop());

  const open = async (replica: number): Promise<{ own: WireClient; stream: WireStream }> => {
    const own = new WireClient(...stack.urls);
    await own.initialize();
    return { own, stream: await own.listen({ replica }) };
  };

  const touch = (uri: string) => client.result('tools/call', { name: 'touch', arguments: { uri } });

  it('are declared at the handshake, with their changes', async () => {
    const { result } = await new WireClient(...stack.urls).initialize();
    expect(result?.['capabilities']).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      completions: {},
    });
  });

  describe('prompts', () => {
    it('are listed by name with their arguments', async () => {
      expect(await client.result('prompts/list')).toEqual({
        prompts: [
          { name: 'broken' },
          {
            name: 'greeting',
            title: 'Greeting',
            description: 'Asks for a greeting.',
            arguments: [
              { name: 'name', description: 'Who is greeted.', required: true },
              { name: 'tone', required: false },
            ],
          },
          { name: 'patient' },
        ],
      });
    });

    it('are filled by a worker, with progress on the way', async () => {
      const answer = await client.request('prompts/get', {
        name: 'greeting',
        arguments: { name: 'Ada', tone: 'dry' },
        _meta: { progressToken: 'greet' },
      });
      expect(answer.last.result).toEqual({
        messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ada in a dry way.' } }],
      });
      for (const message of answer.messages.slice(0, -1)) {
        expect(message).toMatchObject({
          method: 'notifications/progress',
          params: { progressToken: 'greet' },
        });
      }
    });

    it('are no tasks', async () => {
      const own = new WireClient(...stack.urls);
      await own.initialize();
      await own.result('prompts/get', { name: 'greeting', arguments: { name: 'Ada' } });
      expect(await own.result('tasks/list')).toEqual({ tasks: [] });
    });

    it.each([
      ['an unknown name', { name: 'nobody' }, 'Unknown prompt: nobody'],
      ['a missing argument', { name: 'greeting' }, 'name'],
      ['an argument that does not fit', { name: 'greeting', arguments: { name: 'A' } }, 'name'],
      ['an argument that is no text', { name: 'greeting', arguments: { name: 1 } }, 'name'],
    ])('with %s are refused', async (_what, params, message) => {
      const error = await client.error('prompts/get', params);
      expect(error).toMatchObject({ code: -32602 });
      expect(error.message).toContain(message);
    });

    it('that fail are an internal error that says why', async () => {
      const error = await client.error('prompts/get', { name: 'broken' });
      expect(error).toMatchObject({ code: -32603 });
      expect(error.message).toContain('out of ideas');
    });

    it('stop when the client withdraws the request', async () => {
      const id = client.nextId();
      const params = { name: 'patient', _meta: { progressToken: 'p' } };
      const response = await client.post({ jsonrpc: '2.0', id, method: 'prompts/get', params });
      const stream = new WireStream(response, new AbortController());
      await waitFor(() => stream.messages.length > 0, { what: 'the prompt runs' });
      await client.notify('notifications/cancelled', { requestId: id }, { replica: 1 });
      await stream.ended;
      expect(stream.messages.filter(({ method }) => method === undefined)).toEqual([]);
      await stack.workers[0]?.waitForLine(/patient.*attempt stopped|attempt stopped.*patient/);
    });
  });

  describe('resources', () => {
    it('are listed by URI, templates by template', async () => {
      expect(await client.result('resources/list')).toEqual({
        resources: [
          expect.objectContaining({ uri: 'ui://longshore/job' }),
          { uri: 'library://logo', name: 'logo', mimeType: 'image/png' },
          {
            uri: 'library://manual',
            name: 'manual',
            title: 'The manual',
            mimeType: 'text/markdown',
            annotations: { audience: ['user'], priority: 0.5 },
          },
        ],
      });
      expect(await client.result('resources/templates/list')).toEqual({
        resourceTemplates: [
          expect.objectContaining({ name: 'task_result' }),
          expect.objectContaining({ name: 'task_file' }),
          expect.objectContaining({ name: 'task_history' }),
          expect.objectContaining({ name: 'task_items' }),
          {
            uriTemplate: 'library://books/{id}',
            name: 'book',
            description: 'A book by its id.',
            mimeType: 'text/plain',
          },
        ],
      });
    });

    it.each([
      [{ uri: 'library://manual', mimeType: 'text/markdown', text: '# Manual' }],
      [{ uri: 'library://logo', mimeType: 'image/png', blob: 'AQID' }],
      [{ uri: 'library://books/a%20b', mimeType: 'text/plain', text: 'The text of a b.' }],
    ])('are read by a worker: %j', async (content) => {
      expect(await client.result('resources/read', { uri: content.uri })).toEqual({
        contents: [content],
      });
    });

    it.each([
      ['that nobody offers', 'library://shelf'],
      ['whose template matches and that is not there', 'library://books/burnt'],
    ])('%s are not found', async (_what, uri) => {
      expect(await client.error('resources/read', { uri })).toMatchObject({
        code: -32002,
        data: { uri },
      });
    });
  });

  describe('completions', () => {
    const complete = (ref: object, name: string, value: string, context?: object) =>
      client.result('completion/complete', { ref, argument: { name, value }, context });
    const prompt = { type: 'ref/prompt', name: 'greeting' };

    it('suggest what fits', async () => {
      expect(await complete(prompt, 'tone', 'w')).toEqual({
        completion: { values: ['warm', 'wild'], total: 2, hasMore: false },
      });
      const book = { type: 'ref/resource', uri: 'library://books/{id}' };
      expect(await complete(book, 'id', 'mob')).toEqual({
        completion: { values: ['moby-dick'], total: 1, hasMore: false },
      });
    });

    it('know the other arguments, and give a hundred at most', async () => {
      const { completion } = (await complete(prompt, 'name', 'x', {
        arguments: { tone: 'dry' },
      })) as { completion: { values: string[] } };
      expect(completion).toMatchObject({ total: 120, hasMore: true });
      expect(completion.values).toHaveLength(100);
      expect(completion.values[0]).toBe('x-dry-0');
    });

    it('of what offers none are empty, of what is not there are refused', async () => {
      const manual = { type: 'ref/resource', uri: 'library://manual' };
      expect(await complete(manual, 'x', '')).toMatchObject({ completion: { values: [] } });
      for (const ref of [
        { type: 'ref/prompt', name: 'nobody' },
        { type: 'ref/resource', uri: 'library://{shelf}' },
        { type: 'ref/tool', name: 'touch' },
      ]) {
        const argument = { name: 'a', value: '' };
        expect(await client.error('completion/complete', { ref, argument })).toMatchObject({
          code: -32602,
        });
      }
    });
  });

  it.each([['tools/list'], ['prompts/list'], ['resources/list'], ['resources/templates/list']])(
    '%s refuses a cursor it did not give out',
    async (method) => {
      expect(await client.error(method, { cursor: 'nonsense' })).toMatchObject({ code: -32602 });
    },
  );

  describe('subscriptions', () => {
    it('made at one API count on the stream at the other, until they are left', async () => {
      const { own, stream } = await open(1);
      const other = await open(1);
      // Nobody subscribed to it; the stream looks at its subscriptions all the same.
      await touch('library://logo');
      await own.result('resources/subscribe', { uri: 'library://manual' }, { replica: 0 });
      await own.result('resources/subscribe', { uri: 'library://books/1' }, { replica: 0 });
      await touch('library://manual');
      await waitFor(() => uris(stream).length > 0, { what: 'the update is told' });
      await own.result('resources/unsubscribe', { uri: 'library://manual' }, { replica: 0 });
      await touch('library://manual');
      await touch('library://books/2');
      await touch('library://books/1');
      await waitFor(() => uris(stream).length > 1, { what: 'the other update is told' });
      expect(uris(stream)).toEqual(['library://manual', 'library://books/1']);
      expect(uris(other.stream)).toEqual([]);
      stream.close();
      other.stream.close();
    });

    it('are told on one of a session’s streams only', async () => {
      const { own, stream } = await open(0);
      const second = await own.listen({ replica: 1 });
      await own.result('resources/subscribe', { uri: 'library://manual' });
      const told = (): number => uris(stream).length + uris(second).length;
      for (let times = 1; times <= 3; times += 1) {
        await touch('library://manual');
        await waitFor(() => told() >= times, { what: `update ${times} is told` });
      }
      await own.result('resources/subscribe', { uri: 'library://logo' });
      await touch('library://logo');
      await waitFor(() => told() >= 4, { what: 'the last update is told' });
      expect(told()).toBe(4);
      stream.close();
      second.close();
    });

    it('that fall into a reconnect are told to the client when it is back, at any API', async () => {
      const { own, stream } = await open(0);
      const watching = await open(0);
      for (const { own: session, subscribed } of [
        { own, subscribed: ['library://manual', 'library://logo'] },
        { own: watching.own, subscribed: ['library://manual'] },
      ]) {
        for (const uri of subscribed) await session.result('resources/subscribe', { uri });
      }
      const { lastEventId } = stream;
      stream.close();
      await touch('library://manual');
      await waitFor(() => uris(watching.stream).length > 0, { what: 'the update was told' });
      // Nobody keeps which of them did: the client looks at all that it has subscribed to.
      const resumed = await own.listen({ replica: 1, lastEventId });
      await waitFor(() => uris(resumed).length > 1, { what: 'what was missed is told' });
      expect(uris(resumed).toSorted()).toEqual(['library://logo', 'library://manual']);
      // One that says nothing of an earlier stream has missed nothing.
      const fresh = await own.listen({ replica: 1 });
      await touch('library://logo');
      await waitFor(() => uris(fresh).length > 0, { what: 'the next update is told' });
      expect(uris(fresh)).toEqual(['library://logo']);
      for (const one of [resumed, fresh, watching.stream]) one.close();
    });

    it('of what is not there are refused, leaving what was never subscribed to is not', async () => {
      expect(await client.error('resources/subscribe', { uri: 'library://shelf' })).toMatchObject({
        code: -32002,
        data: { uri: 'library://shelf' },
      });
      expect(await client.result('resources/unsubscribe', { uri: 'library://manual' })).toEqual({});
    });
  });

  describe('in the modern era', () => {
    const modern = (): ModernClient => new ModernClient(stack.urls);

    it('are the same', async () => {
      for (const [method, params] of [
        ['prompts/list', {}],
        ['prompts/get', { name: 'greeting', arguments: { name: 'Ada' } }],
        ['resources/list', {}],
        ['resources/templates/list', {}],
        ['resources/read', { uri: 'library://manual' }],
        [
          'completion/complete',
          { ref: { type: 'ref/prompt', name: 'greeting' }, argument: { name: 'tone', value: 'd' } },
        ],
      ] as const) {
        expect(await modern().result(method, params)).toMatchObject({
          ...(await client.result(method, params)),
          resultType: 'complete',
        });
      }
    });

    it.each([['library://shelf'], ['library://books/burnt']])(
      'are not found with the code of that era: %s',
      async (uri) => {
        expect(await modern().error('resources/read', { uri })).toMatchObject({
          status: 200,
          code: -32602,
          data: { uri },
        });
      },
    );

    it('tell a stream of the resources it asked for, wherever it is', async () => {
      const listen = (uri: string, replica: number): Promise<WireStream> =>
        modern().open(
          'subscriptions/listen',
          { notifications: { resourceSubscriptions: [uri] } },
          { replica },
        );
      const streams = [await listen('library://manual', 0), await listen('library://manual', 1)];
      const other = await listen('library://logo', 0);
      for (const stream of [...streams, other]) {
        await waitFor(() => stream.messages.length > 0, { what: 'the stream is acknowledged' });
      }
      await touch('library://manual');
      await touch('library://logo');
      for (const stream of [...streams, other]) {
        await waitFor(() => uris(stream).length > 0, { what: 'the update is told' });
        stream.close();
      }
      expect(streams.map(uris)).toEqual([['library://manual'], ['library://manual']]);
      expect(uris(other)).toEqual(['library://logo']);
    });
  });

  it('tell clients when other workers come and go, once for a burst', async () => {
    const streams = [(await open(0)).stream, (await open(1)).stream];
    const modern = await new ModernClient(stack.urls).open(
      'subscriptions/listen',
      { notifications: { promptsListChanged: true } },
      { replica: 1 },
    );
    const lists = ['prompts', 'resources', 'tools'].map(
      (list) => `notifications/${list}/list_changed`,
    );
    const annexes = await Promise.all([
      stack.startWorker({ PLUGINS: ANNEX }),
      stack.startWorker({ PLUGINS: ANNEX }),
    ]);
    for (const stream of streams) {
      await waitFor(() => changes(stream).length >= 3, { what: 'the new worker is told' });
      expect(changes(stream).sort()).toEqual(lists);
    }
    expect(
      await client.result('prompts/get', { name: 'annex_farewell' }, { replica: 1 }),
    ).toMatchObject({ messages: [{ content: { text: 'Say goodbye.' } }] });
    await Promise.all(annexes.map((annex) => annex.kill('SIGTERM')));
    for (const stream of streams) {
      await waitFor(() => changes(stream).length >= 6, { what: 'its end is told' });
      expect(changes(stream).sort()).toEqual([...lists, ...lists].sort());
      stream.close();
    }
    await waitFor(() => changes(modern).length >= 2, { what: 'the modern stream is told' });
    expect(changes(modern)).toEqual([
      'notifications/prompts/list_changed',
      'notifications/prompts/list_changed',
    ]);
    modern.close();
    expect(await client.error('resources/read', { uri: 'annex://leaflet' })).toMatchObject({
      code: -32002,
    });
  });
}

describeInMode('prompts and resources', 'postgres', promptsAndResources);
