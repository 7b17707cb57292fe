import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { LOG_LEVEL_META_KEY, ResourceNotFoundError } from '@modelcontextprotocol/client';
import { type ClientV2, connectClientV2, type Negotiation } from './support/client-v2.ts';
import { type InteropStack, startInteropStack } from './support/interop-stack.ts';

const NEGOTIATIONS: readonly [string, Negotiation, 'legacy' | 'modern'][] = [
  ['in legacy mode', 'legacy', 'legacy'],
  ['in auto mode', 'auto', 'modern'],
  ['pinned to 2026-07-28', { pin: '2026-07-28' }, 'modern'],
];

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

/** `@modelcontextprotocol/client` 2.x, unmodified; it knows both eras, and tasks in neither. */
function clientV2(mode: Mode): void {
  let interop: InteropStack;

  beforeAll(async () => {
    interop = await startInteropStack({ mode });
  });
  afterAll(() => interop.stop());

  describe.each(NEGOTIATIONS)('%s', (_name, negotiation, era) => {
    let own: ClientV2;

    beforeAll(async () => {
      own = await connectClientV2(interop.url, negotiation);
      await own.client.listTools();
    });
    afterAll(() => own.client.close());

    const fresh = (options: Parameters<typeof connectClientV2>[2] = {}) =>
      connectClientV2(interop.url, negotiation, options);

    it('speaks the era it should', () => {
      expect(own.client.getProtocolEra()).toBe(era);
      expect(own.client.getNegotiatedProtocolVersion()).toBe(
        era === 'modern' ? '2026-07-28' : '2025-11-25',
      );
      expect(own.transport.sessionId === undefined).toBe(era === 'modern');
      expect(own.client.getServerVersion()).toMatchObject({ name: 'longshore' });
    });

    describe('tools', () => {
      it('are listed', async () => {
        const { tools } = await own.client.listTools(undefined, { cacheMode: 'refresh' });
        const steps = tools.find((tool) => tool.name === 'steps');
        expect(steps).toMatchObject({ outputSchema: { type: 'object' } });
        expect(steps?.execution).toEqual(
          era === 'modern' ? undefined : { taskSupport: 'optional' },
        );
      });

      it('answer, and their structured content fits what they announced', async () => {
        expect(
          await own.client.callTool({ name: 'echo', arguments: { text: 'hello' } }),
        ).toMatchObject({ structuredContent: { text: 'hello' } });
      });

      it('report progress', async () => {
        const seen: number[] = [];
        await own.client.callTool(
          { name: 'steps', arguments: { steps: 4, stepMs: 150 } },
          { onprogress: ({ progress }) => seen.push(progress) },
        );
        expect(seen.length).toBeGreaterThan(0);
        expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
      });

      it('that fail give a result, and JSON-RPC errors stay errors', async () => {
        expect(
          await own.client.callTool({ name: 'fail', arguments: { message: 'no paper' } }),
        ).toMatchObject({ ...text('no paper'), isError: true });
        await expect(own.client.callTool({ name: 'refuse' })).rejects.toMatchObject({
          // 2026-07-28 reserves -32020 to -32099.
          code: era === 'modern' ? -32603 : -32050,
          data: { reason: 'test' },
        });
        await expect(own.client.callTool({ name: 'nothing' })).rejects.toMatchObject({
          code: -32602,
        });
      });

      it('that run only as tasks say so to a client that knows none', async () => {
        await expect(own.client.callTool({ name: 'task_only' })).rejects.toMatchObject({
          code: era === 'modern' ? -32021 : -32601,
        });
      });

      it('get the arguments that are mirrored into headers', async () => {
        expect(
          await own.client.callTool({ name: 'region', arguments: { region: 'Åland, 7' } }),
        ).toMatchObject(text('in Åland, 7'));
      });

      it('stop when the client gives up', async () => {
        const abort = new AbortController();
        const earlier = hangsStopped();
        await new Promise<void>((progressed) => {
          void own.client
            .callTool({ name: 'hang' }, { signal: abort.signal, onprogress: () => progressed() })
            .catch(() => {});
        });
        abort.abort('enough');
        await waitFor(() => hangsStopped() > earlier, { what: 'the worker stops' });
      });

      const hangsStopped = () =>
        interop.stack.workers
          .flatMap((worker) => worker.lines)
          .filter((line) => line.includes('"hang"') && line.includes('cancelled')).length;

      it('log for the client that wants it', async () => {
        const { client } = await fresh();
        const heard: unknown[] = [];
        client.setNotificationHandler('notifications/message', ({ params }) => {
          heard.push([params.level, params.logger]);
        });
        if (era === 'legacy') await client.setLoggingLevel('info');
        await client.callTool({
          name: 'logs',
          ...(era === 'modern' ? { _meta: { [LOG_LEVEL_META_KEY]: 'info' } } : {}),
        });
        expect(heard).toEqual([
          ['info', 'logs'],
          ['warning', 'logs'],
        ]);
        await client.close();
      });
    });

    describe('questions', () => {
      it.each([
        ['ask_user', 'elicitation/create', 'Hello, Ada!'],
        ['ask_page', 'elicitation/create', 'accept'],
        ['ask_model', 'sampling/createMessage', 'oracle: Paris'],
        ['ask_roots', 'roots/list', 'file:///work'],
        ['ask_first', 'elicitation/create', 'Done for Ada.'],
      ])('%s is answered', async (name, method, answer) => {
        const { client, person } = await fresh();
        expect(await client.callTool({ name, arguments: {} })).toMatchObject(text(answer));
        expect(person.asked.map((asked) => asked.method)).toEqual([method]);
        await client.close();
      });

      it('several at once, one after another', async () => {
        const { client, person } = await fresh();
        expect(await client.callTool({ name: 'ask_all', arguments: {} })).toMatchObject({
          structuredContent: { name: 'Ada', capital: 'Paris', roots: ['file:///work'] },
        });
        expect(person.asked.map(({ method }) => method).sort()).toEqual([
          'elicitation/create',
          'roots/list',
          'sampling/createMessage',
        ]);
        await client.close();
      });

      it('are declined', async () => {
        const { client, person } = await fresh();
        person.elicit = () => ({ action: 'decline' });
        expect(await client.callTool({ name: 'ask_user' })).toMatchObject(text('decline'));
        await client.close();
      });

      it('that are answered wrongly are asked again', async () => {
        const { client, person } = await fresh();
        const answers = ['x', 'Grace'];
        person.elicit = () => ({ action: 'accept', content: { name: answers.shift() ?? '' } });
        expect(await client.callTool({ name: 'ask_user' })).toMatchObject(text('Hello, Grace!'));
        expect(person.asked).toHaveLength(2);
        expect(person.asked[1]?.params['message']).toMatch(/did not fit/);
        await client.close();
      });

      it('are not put to a client that can not be asked', async () => {
        const { client } = await fresh({ capabilities: {} });
        expect(await client.callTool({ name: 'ask_vain' })).toMatchObject(text('unsupported'));
        await client.close();
      });

      it('are asked by prompts and resources too', async () => {
        const { client } = await fresh();
        expect(await client.getPrompt({ name: 'asked' })).toMatchObject({
          messages: [{ content: { text: 'Write about Ada.' } }],
        });
        expect(await client.readResource({ uri: 'test://asked' })).toMatchObject({
          contents: [{ text: 'Of Ada.' }],
        });
        await client.close();
      });
    });

    describe('prompts, resources, completions', () => {
      it('are listed, read and completed', async () => {
        const { prompts } = await own.client.listPrompts();
        expect(prompts.map((prompt) => prompt.name)).toContain('greeting');
        expect(
          await own.client.getPrompt({ name: 'greeting', arguments: { name: 'Ada' } }),
        ).toMatchObject({ messages: [{ content: { text: 'Greet Ada in a warm way.' } }] });
        const { resources } = await own.client.listResources();
        expect(resources.map(({ uri }) => uri)).toContain('library://manual');
        const { resourceTemplates } = await own.client.listResourceTemplates();
        expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
          'longshore://tasks/{taskId}/result{?offset,length}',
          'longshore://tasks/{taskId}/files/{name}{?offset,length}',
          'longshore://tasks/{taskId}/history',
          'longshore://tasks/{taskId}/items{?status,key,cursor}',
          'library://books/{id}',
        ]);
        expect(await own.client.readResource({ uri: 'library://books/moby-dick' })).toMatchObject({
          contents: [{ text: 'The text of moby-dick.' }],
        });
        expect(
          await own.client.complete({
            ref: { type: 'ref/prompt', name: 'greeting' },
            argument: { name: 'tone', value: 'w' },
          }),
        ).toMatchObject({ completion: { values: ['warm', 'wild'] } });
      });

      it('that are missing have an error of their own', async () => {
        await expect(
          own.client.readResource({ uri: 'library://books/burnt' }),
        ).rejects.toBeInstanceOf(ResourceNotFoundError);
        await expect(own.client.getPrompt({ name: 'nothing' })).rejects.toMatchObject({
          code: -32602,
        });
      });

      it('tell of changes to who subscribed', async () => {
        const { client } = await fresh();
        const heard: string[] = [];
        client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
          heard.push(params.uri);
        });
        const uri = 'library://manual';
        if (era === 'legacy') await client.subscribeResource({ uri });
        const subscription =
          era === 'modern' ? await client.listen({ resourceSubscriptions: [uri] }) : null;
        await waitFor(
          async () => {
            // A legacy GET stream may not be open yet, and nothing says when it is.
            await client.callTool({ name: 'touch', arguments: { uri: 'library://logo' } });
            await client.callTool({ name: 'touch', arguments: { uri } });
            return heard.length > 0;
          },
          { what: 'the change is told' },
        );
        expect(new Set(heard)).toEqual(new Set([uri]));
        await subscription?.close();
        await client.close();
      });

      it('that come and go are told of', async () => {
        const heard: string[] = [];
        const { client } = await fresh({
          listChanged: {
            tools: {
              onChanged: (_error, tools) => {
                heard.push(...(tools ?? []).map(({ name }) => name));
              },
            },
          },
        });
        const annex = await interop.stack.startWorker({
          PLUGINS: interop.plugin('annex-plugin.js'),
        });
        try {
          await waitFor(() => heard.includes('annex_stamp'), { what: 'the new tool is told' });
          heard.length = 0;
        } finally {
          await annex.kill('SIGTERM');
        }
        await waitFor(() => heard.length > 0 && !heard.includes('annex_stamp'), {
          what: 'its end is told',
        });
        await client.close();
      });
    });
  });

  it('falls back to the handshake by itself only where it must', async () => {
    await expect(connectClientV2(interop.url, { pin: '2027-01-01' })).rejects.toThrow();
  });

  it('spoke to both replicas', () => {
    expect(Math.min(...interop.proxy.counts)).toBeGreaterThan(50);
  });
}

describeInMode('client 2.x', 'redis', clientV2);
