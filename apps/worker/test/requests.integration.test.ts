import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { JsonObject, Outcome, RequestMethod } from '@longshore/core';
import {
  definePrompt,
  defineResource,
  defineTool,
  ProtocolError,
  ResourceNotFound,
  ToolError,
  z,
} from '@longshore/plugin';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { aborted } from './bench/doubles.ts';
import { accepted, WorkerBench } from './bench/worker-bench.ts';

const greeting = definePrompt({
  name: 'greeting',
  arguments: z.object({ who: z.string().max(5) }),
  complete: {
    who: (value, { arguments: given }) => [`${value}!`, JSON.stringify(given)],
  },
  run: async ({ who }, ctx) => {
    if (who === 'throw') throw new Error('no greeting');
    if (who === 'say') throw new ToolError('said no');
    if (who === 'proto') throw new ProtocolError(-32_099, 'own code', { at: 1 });
    if (who === 'wait') return aborted(ctx.signal);
    if (who !== 'ask') return `Greet ${who}.`;
    const answer = await ctx.elicit(z.object({ name: z.string() }), 'Whom?');
    return `Greet ${JSON.stringify(answer)}.`;
  },
});

const note = defineResource({
  uriTemplate: 'notes://{day}',
  name: 'note',
  mimeType: 'text/plain',
  complete: { day: () => ['monday'] },
  read: ({ variables: { day } }) => {
    if (day === 'none') return null;
    if (day === 'gone') throw new ResourceNotFound('gone');
    if (day === 'broken') throw new Error('disk failed');
    return { blob: Buffer.from(day) };
  },
});

const tests = (mode: Mode): void => {
  let bench: WorkerBench;
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
  });
  afterEach(async () => {
    await bench.close();
  });

  const outcomeOf = async (
    requestMethod: RequestMethod,
    target: string,
    params: JsonObject,
  ): Promise<Outcome | null> =>
    (await bench.outcome(await bench.submit(target, params, { requestMethod }))).outcome;
  const result = (value: JsonObject): Outcome => ({
    kind: 'result',
    isError: false,
    result: value,
  });

  it('fills prompts', async () => {
    await bench.startWorker([greeting]);
    const get = (who: string | number) =>
      outcomeOf('prompts/get', 'greeting', { name: 'greeting', arguments: { who } });
    expect(await get('Ann')).toEqual(
      result({
        messages: [{ role: 'user', content: { type: 'text', text: 'Greet Ann.' } }],
      }),
    );
    expect(await get('much too long')).toMatchObject({
      kind: 'error',
      error: {
        code: -32_602,
        message: expect.stringMatching(/^Invalid arguments for prompt 'greeting': .*at who/s),
      },
    });
    expect(await outcomeOf('prompts/get', 'greeting', { name: 'greeting' })).toMatchObject({
      error: { code: -32_602 },
    });
    expect(await get('throw')).toMatchObject({ error: { code: -32_603, message: 'no greeting' } });
    expect(await get('say')).toMatchObject({ error: { code: -32_603, message: 'said no' } });
    expect(await get('proto')).toEqual({
      kind: 'error',
      error: { code: -32_099, message: 'own code', data: { at: 1 } },
    });
  });

  it('stops a prompt that runs out of time', async () => {
    await bench.startWorker([greeting]);
    const params = { name: 'greeting', arguments: { who: 'wait' } };
    const options = { requestMethod: 'prompts/get', timeoutMs: 50 } as const;
    const id = await bench.submit('greeting', params, options);
    expect((await bench.outcome(id)).outcome).toEqual({
      kind: 'error',
      error: { code: -32_603, message: 'The prompt did not finish within 50 ms.' },
    });
  });

  it('lets a prompt ask', async () => {
    await bench.startWorker([greeting]);
    const params = { name: 'greeting', arguments: { who: 'ask' } };
    const id = await bench.submit('greeting', params, { requestMethod: 'prompts/get' });
    await bench.questions(id, 'elicit-1');
    await bench.answer(id, { 'elicit-1': accepted({ name: 'Bob' }) });
    expect(JSON.stringify((await bench.outcome(id)).outcome)).toContain('Bob');
  });

  it('reads resources', async () => {
    await bench.startWorker([note]);
    const read = (uri: string) => outcomeOf('resources/read', 'notes://{day}', { uri });
    expect(await read('notes://monday')).toEqual(
      result({
        contents: [
          {
            uri: 'notes://monday',
            mimeType: 'text/plain',
            blob: Buffer.from('monday').toString('base64'),
          },
        ],
      }),
    );
    for (const day of ['none', 'gone', 'a/b']) {
      const uri = `notes://${day}`;
      expect(await read(uri)).toEqual({
        kind: 'error',
        error: {
          code: -32_602,
          message: `Resource not found: ${uri}`,
          data: { code: 'RESOURCE_NOT_FOUND', uri },
        },
      });
    }
    expect(await read('notes://broken')).toMatchObject({
      error: { code: -32_603, message: 'disk failed' },
    });
  });

  it('completes arguments of prompts and variables of templates', async () => {
    await bench.startWorker([greeting, note]);
    const complete = (target: string, ref: JsonObject, name: string) =>
      outcomeOf('completion/complete', target, {
        ref,
        argument: { name, value: 'mo' },
        context: { arguments: { other: 'x' } },
      });
    const ofPrompt = { type: 'ref/prompt', name: 'greeting' };
    expect(await complete('greeting', ofPrompt, 'who')).toEqual(
      result({ completion: { values: ['mo!', '{"other":"x"}'], total: 2, hasMore: false } }),
    );
    const ofResource = { type: 'ref/resource', uri: 'notes://{day}' };
    expect(await complete('notes://{day}', ofResource, 'day')).toEqual(
      result({ completion: { values: ['monday'], total: 1, hasMore: false } }),
    );
  });

  it('leaves prompts it does not have to workers that have them', async () => {
    await bench.startWorker([note]);
    const params = { name: 'greeting', arguments: { who: 'Ann' } };
    const id = await bench.submit('greeting', params, { requestMethod: 'prompts/get' });
    await waitFor(async () => (await bench.events(id)).includes('released'), {
      what: 'the worker met the request',
    });
    await bench.startWorker([greeting]);
    expect(JSON.stringify((await bench.outcome(id)).outcome)).toContain('Greet Ann.');
  });

  const talks = defineTool({
    name: 'talks',
    description: 'Logs.',
    input: z.looseObject({}),
    task: { backoff: { baseMs: 10 } },
    run: (_input, ctx) => {
      ctx.log.debug('too quiet');
      ctx.log.info('begun', { attempt: ctx.attempt });
      if (ctx.attempt === 1) throw new Error('again');
      ctx.log.emergency('out of ink');
      ctx.resourceUpdated('notes://monday');
      return 'done';
    },
  });
  const logsOf = (id: Awaited<ReturnType<typeof bench.submit>>) =>
    bench.database.taskStore.logs(id, bench.session.principalId, '0', 100);

  it('keeps what a tool logs for its client, of every attempt, before the result is there', async () => {
    await bench.startWorker([talks]);
    const id = await bench.submit('talks', {}, { logLevel: 'info', maxAttempts: 2 });
    expect(await bench.text(id)).toBe('done');
    expect((await logsOf(id)).map(({ id: _, ...message }) => message)).toEqual([
      { level: 'info', logger: 'talks', data: { attempt: 1, message: 'begun' } },
      { level: 'info', logger: 'talks', data: { attempt: 2, message: 'begun' } },
      { level: 'emergency', logger: 'talks', data: 'out of ink' },
    ]);
    await waitFor(() => bench.heard.filter(({ kind }) => kind === 'logged').length === 2, {
      what: 'both batches are published',
    });
    expect(bench.resourceUpdates).toEqual(['notes://monday']);
  });

  it('keeps no logs for a client that wants none', async () => {
    await bench.startWorker([talks]);
    const id = await bench.submit('talks', {}, { maxAttempts: 2 });
    expect(await bench.text(id)).toBe('done');
    expect(await logsOf(id)).toEqual([]);
  });

  it('brings logs to the client while the tool runs', async () => {
    await bench.startWorker([
      defineTool({
        name: 'long',
        description: 'Logs and waits.',
        input: z.looseObject({}),
        run: (_input, ctx) => {
          ctx.log.notice('still here');
          return aborted(ctx.signal);
        },
      }),
    ]);
    const id = await bench.submit('long', {}, { logLevel: 'debug' });
    await waitFor(async () => (await logsOf(id)).length === 1, { what: 'the message is kept' });
    expect((await bench.task(id)).state).toBe('working');
    await bench.database.taskStore.cancel(id, bench.session.principalId);
  });
};

describeInMode('requests to a worker', 'redis', tests);
