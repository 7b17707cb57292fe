import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import type { WireClient, WireMessage, WireStream } from '@longshore/testing/mcp';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { ASKABLE, type LegacyStack, startLegacyStack, startTask } from './support/legacy-stack.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const NAME = { action: 'accept', content: { name: 'Ada' } };

function questions(mode: Mode): void {
  let legacy: LegacyStack;

  beforeAll(async () => {
    legacy = await startLegacyStack({
      mode,
      apis: 2,
      environment: { ANONYMOUS_PRINCIPAL: 'session' },
    });
  });
  afterAll(() => legacy.stack.stop());

  const asked = (stream: WireStream, count = 1): Promise<WireMessage[]> =>
    waitFor(() => stream.questions.length >= count && stream.questions, {
      what: `${count} questions are asked`,
    });
  const firstOf = async (...streams: WireStream[]): Promise<WireMessage> =>
    waitFor(() => streams.flatMap((stream) => stream.questions)[0], {
      what: 'a question is asked',
    });
  const text = (result: unknown): string =>
    (result as { content: { text: string }[] } | undefined)?.content[0]?.text ?? '';
  const answerOf = async (stream: WireStream): Promise<WireMessage> => {
    await stream.ended;
    if (stream.answer === undefined) throw new Error('the stream ended without an answer');
    return stream.answer;
  };
  const call = (client: WireClient, name: string, args = {}, replica = 0): Promise<WireStream> =>
    client.open('tools/call', { name, arguments: args }, { replica });
  const statusOf = async (client: WireClient, taskId: string) =>
    (await client.result('tasks/get', { taskId }))['status'];

  it('of a held call come on its stream, and are answered at any replica', async () => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await call(client, 'ask_form', {}, 0);
    const [question] = await asked(stream);
    if (question === undefined) throw new Error('no question');
    ElicitRequestSchema.parse(question);
    expect(question.params).toMatchObject({
      message: 'Your name?',
      requestedSchema: { type: 'object', required: ['name'] },
    });
    expect(question.params).not.toHaveProperty('_meta');
    expect(await client.respond(question, NAME, { replica: 1 })).toBe(202);
    expect(text((await answerOf(stream)).result)).toBe('{"name":"Ada"}');
    expect(stream.questions).toHaveLength(1);
  });

  it('of a task come on the stream that waits for it, which tells its states', async () => {
    const client = await legacy.newClient(ASKABLE);
    const taskId = await startTask(client, 'ask_form', { delayMs: 700 });
    const stream = await client.open('tasks/result', { taskId }, { replica: 1 });
    const [question] = await asked(stream);
    if (question === undefined) throw new Error('no question');
    expect(question.params?.['_meta']).toEqual({ [RELATED]: { taskId } });
    expect(await statusOf(client, taskId)).toBe('input_required');
    await client.respond(question, NAME, { replica: 0 });
    expect((await answerOf(stream)).result).toMatchObject({ _meta: { [RELATED]: { taskId } } });
    const states = stream.of('notifications/tasks/status').map(({ params }) => params?.['status']);
    expect(states.filter((state) => state !== 'working')).toEqual(['input_required', 'completed']);
    expect(await statusOf(client, taskId)).toBe('completed');
  });

  it('of a task nobody waits for come on the session’s stream, after its new state', async () => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await client.listen({ replica: 1 });
    const taskId = await startTask(client, 'ask_form');
    const [question] = await asked(stream);
    if (question === undefined) throw new Error('no question');
    const told = stream.of('notifications/tasks/status').map(({ params }) => params?.['status']);
    expect(told).toEqual(['input_required']);
    await client.respond(question, NAME);
    await waitFor(async () => (await statusOf(client, taskId)) === 'completed', {
      what: 'it ends',
    });
    stream.close();
  });

  it('that were asked before the session’s stream was opened come on it', async () => {
    const client = await legacy.newClient(ASKABLE);
    const taskId = await startTask(client, 'ask_form');
    await waitFor(async () => (await statusOf(client, taskId)) === 'input_required', {
      what: 'it asks',
    });
    const stream = await client.listen();
    await asked(stream);
    expect(stream.of('notifications/tasks/status')).toEqual([]);
    stream.close();
  });

  it('come once, however many streams are open, and stay with the one that has them', async () => {
    const client = await legacy.newClient(ASKABLE);
    const gets = [await client.listen({ replica: 0 }), await client.listen({ replica: 1 })];
    const taskId = await startTask(client, 'ask_form');
    const waits = [
      await client.open('tasks/result', { taskId }, { replica: 0 }),
      await client.open('tasks/result', { taskId }, { replica: 1 }),
    ];
    const all = [...gets, ...waits];
    const question = await firstOf(...all);
    await client.respond(question, NAME);
    await Promise.all(waits.map((stream) => stream.ended));
    expect(all.flatMap((stream) => stream.questions)).toHaveLength(1);
    expect(waits.map((stream) => text(stream.answer?.result))).toEqual([
      '{"name":"Ada"}',
      '{"name":"Ada"}',
    ]);
    for (const stream of gets) stream.close();
  });

  it('go to the next stream when theirs ends before the answer', async () => {
    const client = await legacy.newClient(ASKABLE);
    const taskId = await startTask(client, 'ask_form');
    const first = await client.open('tasks/result', { taskId }, { replica: 0 });
    const question = await firstOf(first);
    const get = await client.listen({ replica: 1 });
    first.close();
    const again = await firstOf(get);
    expect(again).toEqual(question);
    get.close();
    await get.ended;
    const last = await client.open('tasks/result', { taskId }, { replica: 1 });
    expect(await firstOf(last)).toEqual(question);
    await client.respond(again, NAME, { replica: 0 });
    expect(text((await answerOf(last)).result)).toBe('{"name":"Ada"}');
  });

  it('of one turn come together and are answered one by one', async () => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await call(client, 'ask_two_forms');
    const [left, right] = await asked(stream, 2);
    if (left === undefined || right === undefined) throw new Error('no questions');
    expect([left, right].map(({ params }) => params?.['message'])).toEqual(['Left?', 'Right?']);
    await client.respond(right, { action: 'accept', content: { n: 2 } }, { replica: 1 });
    await client.respond(left, { action: 'accept', content: { n: 1 } }, { replica: 0 });
    expect(text((await answerOf(stream)).result)).toBe('1 and 2');
  });

  it('may be pages, samples and roots', async () => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await call(client, 'ask_all');
    const [page] = await asked(stream);
    if (page === undefined) throw new Error('no question');
    ElicitRequestSchema.parse(page);
    expect(page.params).toMatchObject({ mode: 'url', url: 'https://example.com/pay' });
    expect(page.params?.['elicitationId']).toEqual(expect.stringMatching(/.+/));
    await client.respond(page, { action: 'accept' });
    const sample = (await asked(stream, 2))[1];
    expect(sample).toMatchObject({ method: 'sampling/createMessage', params: { maxTokens: 20 } });
    if (sample === undefined) throw new Error('no sample');
    const content = { type: 'text', text: 'hi' };
    await client.respond(sample, { role: 'assistant', model: 'm', content });
    const roots = (await asked(stream, 3))[2];
    expect(roots?.method).toBe('roots/list');
    if (roots === undefined) throw new Error('no roots');
    await client.respond(roots, { roots: [{ uri: 'file:///a' }, { uri: 'file:///b' }] });
    expect(text((await answerOf(stream)).result)).toBe('accept, hi, file:///a file:///b');
  });

  it('that were answered with what does not fit are asked again, with what is wrong', async () => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await call(client, 'ask_form');
    const [question] = await asked(stream);
    if (question === undefined) throw new Error('no question');
    await client.respond(question, { action: 'accept', content: { name: 'A', more: 1 } });
    const again = (await asked(stream, 2))[1];
    if (again === undefined) throw new Error('not asked again');
    expect(again.id).not.toBe(question.id);
    expect(again.params?.['message']).toMatch(/^Your name\?\n.*name/s);
    await client.respond(again, { action: 'accept', content: { name: 'Ada', more: 1 } });
    expect(text((await answerOf(stream)).result)).toBe('{"name":"Ada"}');
  });

  it.each<[string, object, string]>([
    ['declined', { action: 'decline' }, 'decline'],
    ['cancelled', { action: 'cancel' }, 'cancel'],
    ['refused', { error: { code: -1, message: 'User rejected' } }, 'no answer: refused'],
  ])('that are %s are answered', async (_what, answer, expected) => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await call(client, 'ask_form');
    await client.respond(await firstOf(stream), answer);
    expect(text((await answerOf(stream)).result)).toBe(expected);
  });

  it('are answered by their own client only, once; other responses are taken and ignored', async () => {
    const [client, stranger] = [await legacy.newClient(ASKABLE), await legacy.newClient(ASKABLE)];
    const stream = await call(client, 'ask_form');
    const question = await firstOf(stream);
    const foreign = { action: 'accept', content: { name: 'Eve' } };
    expect(await stranger.respond(question, foreign)).toBe(202);
    for (const id of [
      'nonsense',
      7,
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
      `${question.id}.get.1`,
    ]) {
      expect(await client.respond({ jsonrpc: '2.0', id }, foreign)).toBe(202);
    }
    expect(stream.answer).toBeUndefined();
    await client.respond(question, NAME, { replica: 1 });
    expect(await client.respond(question, foreign, { replica: 0 })).toBe(202);
    expect(text((await answerOf(stream)).result)).toBe('{"name":"Ada"}');
  });

  it('are not asked of a client that did not declare them', async () => {
    // One that knows no tasks either gets a job, and its model the question (jobs.e2e.test.ts).
    const client = await legacy.newClient({ tasks: { list: {} } });
    const stream = await call(client, 'ask_form');
    expect(text((await answerOf(stream)).result)).toBe('no answer: unsupported');
    expect(stream.questions).toEqual([]);
    const refused = await client.result('tools/call', { name: 'needs_elicitation', arguments: {} });
    expect(refused).toMatchObject({ isError: true });
    expect(text(refused)).toContain('elicitation');
    const taskId = await startTask(client, 'needs_elicitation');
    expect(await statusOf(client, taskId)).toBe('failed');
    expect(text(await client.result('tasks/result', { taskId }))).toContain('elicitation');
  });

  it('that nobody answers end with their time', async () => {
    const client = await legacy.newClient(ASKABLE);
    const stream = await call(client, 'ask_form', { timeoutMs: 500 });
    const question = await firstOf(stream);
    expect(text((await answerOf(stream)).result)).toBe('no answer: timeout');
    expect(stream.of('notifications/cancelled').map(({ params }) => params)).toEqual([
      { requestId: question.id, reason: expect.any(String) },
    ]);
    expect(await client.respond(question, NAME)).toBe(202);
  });

  it('of a task that is cancelled are withdrawn, answered ones are not', async () => {
    const client = await legacy.newClient(ASKABLE);
    const taskId = await startTask(client, 'ask_two_forms');
    const stream = await client.open('tasks/result', { taskId });
    const [left, right] = await asked(stream, 2);
    if (left === undefined || right === undefined) throw new Error('no questions');
    await client.respond(left, { action: 'accept', content: { n: 1 } }, { replica: 1 });
    await client.result('tasks/cancel', { taskId }, { replica: 1 });
    expect((await answerOf(stream)).error).toMatchObject({ code: -32000 });
    expect(stream.of('notifications/cancelled').map(({ params }) => params)).toEqual([
      { requestId: right.id, reason: expect.any(String), _meta: { [RELATED]: { taskId } } },
    ]);
  });

  it('outlive the worker that asked: not asked again, and answered in between', async () => {
    const client = await legacy.newClient(ASKABLE);
    const { stack } = legacy;
    for (const when of ['while the next one starts', 'once it asks the same']) {
      const stream = await call(client, 'ask_two_forms');
      const [left, right] = await asked(stream, 2);
      if (left === undefined || right === undefined) throw new Error('no questions');
      await Promise.all(stack.workers.splice(0).map((worker) => worker.kill('SIGKILL')));
      const answer = { action: 'accept', content: { n: 1 } };
      if (when === 'while the next one starts') await client.respond(left, answer);
      const worker = await stack.startWorker();
      if (when !== 'while the next one starts') {
        await worker.waitForLine(/attempt started.*"attempt":2|"attempt":2.*attempt started/);
        await client.respond(left, answer);
      }
      await client.respond(right, { action: 'accept', content: { n: 2 } });
      expect(text((await answerOf(stream)).result)).toBe('1 and 2');
      expect(stream.questions).toHaveLength(2);
      expect(stream.of('notifications/cancelled')).toEqual([]);
    }
  });

  it('do not reach a client that takes plain JSON only', async () => {
    const client = await legacy.newClient(ASKABLE);
    const response = await client.post(
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'ask_form', arguments: { timeoutMs: 300 } },
      },
      { headers: { accept: 'application/json' } },
    );
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(JSON.stringify(await response.json())).toContain('no answer: timeout');
  });
}

describeInMode('questions to legacy clients', 'postgres', questions);
