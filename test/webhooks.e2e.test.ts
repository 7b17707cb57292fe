import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AnswerOf, CallOf } from '@longshore/operator';
import { waitFor } from '@longshore/testing';
import { Webhook } from 'standardwebhooks';
import { createKey } from './support/api-keys.ts';
import { runCommand } from './support/command-line.ts';
import { OperatorApi } from './support/operator-client.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';
import { startWebhookReceiver, type WebhookReceiver } from './support/webhook-receiver.ts';

const OPERATOR_TOOLS = path.join(import.meta.dirname, 'fixtures', 'operator-tools.js');

type NewWebhook = CallOf<'POST /webhooks'>['body'];

describe('webhooks', () => {
  let receiver: WebhookReceiver;
  let stack: Stack;
  let operator: OperatorApi;
  let ada: OperatorApi;
  let bob: OperatorApi;

  beforeAll(async () => {
    receiver = await startWebhookReceiver();
    stack = await startStack({
      mode: 'postgres',
      apis: 2,
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${FIXTURE_TOOLS},${OPERATOR_TOOLS}`,
        WEBHOOK_PRIVATE_HOSTS: receiver.host,
      },
    });
    const [url = ''] = stack.urls;
    const keyOf = async (principal: string, scopes: string[]): Promise<string> =>
      (await createKey(stack, { principal, scopes })).key;
    operator = new OperatorApi(url, await keyOf('root', ['ops:write', 'ops:read']));
    ada = new OperatorApi(url, await keyOf('ada', ['tasks:read', 'tasks:write', 'tools:*']));
    bob = new OperatorApi(url, await keyOf('bob', ['tasks:read', 'tools:*']));
    await waitFor(async () => (await ada.call('GET /tools')).tools.length > 4, {
      what: 'the catalogue is there',
    });
  });
  afterAll(async () => {
    await stack.stop();
    await receiver.close();
  });

  const add = async (api: OperatorApi, hook: string, more: Partial<NewWebhook> = {}) => {
    const body = { url: `${receiver.url}${hook}`, ...more };
    const { webhook, secret } = await api.call('POST /webhooks', { body });
    return { id: webhook.id, secret };
  };
  const remove = (id: string) => operator.call('DELETE /webhooks/{id}', { params: { id } });
  const deliveries = async (id: string) =>
    (await operator.call('GET /webhooks/{id}/deliveries', { params: { id } })).deliveries;
  const delivered = (hook: string, count: number) =>
    waitFor(() => receiver.at(hook).length >= count && receiver.at(hook), {
      what: `${count} messages at ${hook}`,
      timeoutMs: 30_000,
    });
  const settled = (
    id: string,
    state: AnswerOf<'GET /webhooks/{id}/deliveries'>['deliveries'][number]['state'],
  ) =>
    waitFor(
      async () => (await deliveries(id)).find((delivery) => delivery.state === state) ?? null,
      { what: `a delivery of ${id} is ${state}`, timeoutMs: 30_000 },
    );

  it('are signed, and tell what became of a task, and nothing of what it is about', async () => {
    const own = await add(ada, '/own');
    const all = await add(operator, '/all', { scope: 'all' });
    const task = await ada.run('echo', { text: 'a secret text' });
    const theirs = await bob.run('fail', { message: 'a secret message' });
    const [message] = await delivered('/own', 1);
    if (message === undefined) throw new Error('no message');
    const headers = message.headers as Record<string, string>;
    expect(new Webhook(own.secret).verify(message.text, headers)).toEqual({
      type: 'task.completed',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        taskId: task,
        tool: 'echo',
        phase: 'completed',
        principal: (await ada.call('GET /me')).principal.id,
        createdAt: expect.any(String),
        finishedAt: expect.any(String),
        attempt: 1,
      },
    });
    expect(() => new Webhook(all.secret).verify(message.text, headers)).toThrow();
    const told = await delivered('/all', 2);
    expect(told.map((one) => [one.message.type, one.message.data['taskId']]).sort()).toEqual([
      ['task.completed', task],
      ['task.failed', theirs],
    ]);
    expect(receiver.at('/own')).toHaveLength(1);
    expect(told.map(({ text }) => text).join()).not.toContain('secret');
    expect(await settled(own.id, 'delivered')).toMatchObject({
      id: headers['webhook-id'],
      taskId: task,
      attempts: 1,
      answer: { status: 200, text: 'status 200', error: null },
    });
    expect(JSON.stringify(await operator.call('GET /webhooks'))).not.toContain('whsec_');
    expect(stack.apis.map((api) => api.logs()).join()).not.toContain('whsec_');
    await Promise.all([remove(own.id), remove(all.id)]);
  });

  it('belong to their principal, or take ops:write', async () => {
    const { id } = await add(ada, '/owned');
    const params = { id };
    await expect(bob.call('GET /webhooks/{id}/deliveries', { params })).rejects.toMatchObject({
      status: 404,
    });
    await expect(bob.call('DELETE /webhooks/{id}', { params })).rejects.toMatchObject({
      status: 404,
    });
    await expect(add(bob, '/x')).rejects.toMatchObject({ status: 403 });
    await expect(add(ada, '/x', { scope: 'all' })).rejects.toMatchObject({ status: 403 });
    expect((await bob.call('GET /webhooks')).webhooks).toEqual([]);
    expect((await ada.call('GET /webhooks')).webhooks).toMatchObject([{ id, enabled: true }]);
    await remove(id);
  });

  it('reach public addresses and what is named, not what a redirect or a name leads to', async () => {
    let reached = 0;
    const inside = createServer((_request, response) => {
      reached += 1;
      response.end();
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const { port } = inside.address() as AddressInfo;
    for (const url of [
      `http://127.0.0.1:${port}/`,
      'http://example.com/',
      'file:///etc/passwd',
      'https://a:b@example.com/',
      'no url',
    ])
      await expect(ada.call('POST /webhooks', { body: { url } })).rejects.toMatchObject({
        status: 400,
        code: 'INVALID_PARAMS',
      });
    const test = async (id: string) =>
      (await ada.call('POST /webhooks/{id}/test', { params: { id } })).error;
    const redirected = await add(ada, '/redirect');
    receiver.answer('/redirect', `http://127.0.0.1:${port}/`);
    expect(await test(redirected.id)).toContain('refused:');
    receiver.answer('/redirect', `${receiver.url}/elsewhere`);
    expect(await test(redirected.id)).toBeNull();
    expect(receiver.at('/elsewhere')).toMatchObject([{ message: { type: 'webhook.test' } }]);
    receiver.answer('/redirect', `${receiver.url}/redirect`);
    expect(await test(redirected.id)).toContain('redirects more than');
    const { webhook } = await ada.call('POST /webhooks', { body: { url: 'https://localhost/' } });
    expect(await test(webhook.id)).toBe('refused: localhost has an address that is not public');
    expect(reached).toBe(0);
    inside.close();
    await Promise.all([remove(redirected.id), remove(webhook.id)]);
  });

  it('are told again what failed, in the order of the task, while others are told at once', async () => {
    const never = await add(ada, '/never');
    receiver.answer('/never', null);
    const asks = await add(ada, '/asks', { events: ['task.input_required', 'task.completed'] });
    receiver.answer('/asks', 500, 200);
    const quick = await add(ada, '/quick');
    const id = await ada.run('greet');
    const { questions } = await ada.inPhase(id, 'input_required');
    await delivered('/asks', 1);
    const answer = {
      key: questions[0]?.key ?? '',
      action: 'accept',
      content: { name: 'Grace' },
    } as const;
    await ada.call('POST /tasks/{id}/answer', { params: { id }, body: answer });
    for (let n = 0; n < 10; n += 1) await ada.run('echo', { text: `${n}` });
    await delivered('/quick', 11);
    // The first of what is never answered has not been given up, nor has what failed been told again.
    expect((await deliveries(never.id)).every(({ answer: given }) => given === null)).toBe(true);
    await delivered('/asks', 13);
    const ofTask = receiver.at('/asks').filter(({ message }) => message.data['taskId'] === id);
    expect(ofTask.map(({ message }) => message.type)).toEqual([
      'task.input_required',
      'task.input_required',
      'task.completed',
    ]);
    expect(ofTask[0]?.headers['webhook-id']).toBe(ofTask[1]?.headers['webhook-id']);
    expect((await settled(never.id, 'failed')).answer).toMatchObject({
      status: null,
      error: 'no answer within 10 s',
    });
    await Promise.all([remove(never.id), remove(asks.id), remove(quick.id)]);
  });

  it('are disabled by 410, enabled by hand, and told again on demand', async () => {
    const { id } = await add(ada, '/gone');
    receiver.answer('/gone', 410, 200);
    const params = { id };
    const first = await ada.run('echo', { text: 'one' });
    const dead = await settled(id, 'dead');
    expect(dead).toMatchObject({ taskId: first, answer: { status: 410 } });
    const [gone] = (await ada.call('GET /webhooks')).webhooks;
    expect(gone).toMatchObject({ id, enabled: false, disabledReason: 'gone', failures: 1 });
    await ada.call('POST /webhooks/{id}/enable', { params });
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const replay = (body: CallOf<'POST /webhooks/{id}/replay'>['body']) =>
      ada.call('POST /webhooks/{id}/replay', { params, body });
    expect(await replay({ from })).toEqual({ replayed: 1 });
    await delivered('/gone', 2);
    await settled(id, 'delivered');
    expect(await replay({ from })).toEqual({ replayed: 0 });
    expect(await replay({ delivery: dead.id })).toEqual({ replayed: 1 });
    const ids = (await delivered('/gone', 3)).map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([dead.id, dead.id, dead.id]);
    await expect(replay({})).rejects.toMatchObject({ status: 400 });
    await remove(id);
  });

  it('are looked after from the command line', async () => {
    const as = (...words: string[]) =>
      runCommand(['webhooks', ...words], {
        LONGSHORE_URL: stack.urls[0] ?? '',
        LONGSHORE_API_KEY: ada.headers['authorization']?.slice(7) ?? '',
      });
    const added = await as('add', `${receiver.url}/cli`, '--event', 'task.failed');
    expect(added).toMatchObject({ code: 0, said: expect.stringContaining('secret: whsec_') });
    const id = /webhook ([-0-9a-f]{36}) is told of task.failed/.exec(added.said)?.[1] ?? '';
    expect((await as('list')).said).toMatch(new RegExp(`${id} +enabled .*${receiver.host}/cli`));
    expect(await as('test', id)).toMatchObject({
      code: 0,
      said: expect.stringMatching(/^taken with status 200 after \d+ ms$/),
    });
    receiver.answer('/cli', 503);
    expect(await as('test', id)).toEqual({ code: 1, said: 'not taken: answered with status 503' });
    receiver.answer('/cli', 200);
    expect(await as('replay', id, '--since', '1h')).toEqual({
      code: 0,
      said: '1 messages are sent again',
    });
    await delivered('/cli', 3);
    expect((await as('replay', id)).code).toBe(2);
    expect(await as('remove', id)).toEqual({ code: 0, said: `webhook ${id} is removed` });
    expect((await as('remove', id)).code).toBe(1);
  });

  it('lose nothing when the APIs are killed, and say the same id twice at most', async () => {
    const { id } = await add(ada, '/killed');
    receiver.answer('/killed', null);
    const tasks: string[] = [];
    for (let n = 0; n < 6; n += 1) tasks.push(await ada.run('echo', { text: `${n}` }));
    await delivered('/killed', 1);
    await Promise.all(stack.apis.map((api) => api.kill('SIGKILL')));
    const before = receiver.at('/killed').map(({ headers }) => headers['webhook-id']);
    receiver.answer('/killed', 200);
    await stack.startApi();
    const known = () =>
      new Set(
        receiver
          .at('/killed')
          .slice(before.length)
          .map(({ message }) => message.data['taskId']),
      );
    await waitFor(() => tasks.every((task) => known().has(task)), {
      what: 'each task was told by the new API',
      timeoutMs: 30_000,
    });
    const after = receiver.at('/killed').slice(before.length);
    expect(after.map(({ headers }) => headers['webhook-id'])).toEqual(
      expect.arrayContaining(before),
    );
    const ids = new Set(receiver.at('/killed').map(({ headers }) => headers['webhook-id']));
    expect(ids.size).toBe(tasks.length);
    operator = new OperatorApi(
      stack.urls.at(-1) ?? '',
      operator.headers['authorization']?.slice(7) ?? null,
    );
    await remove(id);
  });
});
