import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, SseClient, WireClient } from '@longshore/testing/mcp';
import pg from 'pg';
import { type CreatedKey, createKey, revokeKey } from './support/api-keys.ts';
import { RedisTap } from './support/redis-tap.ts';
import { searchEverything } from './support/search-everything.ts';
import { type Stack, startStack } from './support/stack.ts';

const bearer = ({ key }: CreatedKey): string => `Bearer ${key}`;

function apiKeys(mode: Mode): void {
  let stack: Stack;
  let ada: CreatedKey;
  let bob: CreatedKey;

  beforeAll(async () => {
    const environment = { AUTH: 'api-key', SSE_TRANSPORT: 'true' };
    stack = await startStack({ mode, apis: 2, environment });
    ada = await createKey(stack, { principal: 'ada' });
    bob = await createKey(stack);
    const client = modern(ada);
    for (const replica of stack.urls.keys()) {
      await waitFor(
        async () =>
          JSON.stringify(await client.result('tools/list', {}, { replica })).includes('echo'),
        { what: 'the catalogue is there' },
      );
    }
  });
  afterAll(() => stack.stop());

  const modern = (key: CreatedKey): ModernClient =>
    new ModernClient(stack.urls).withTasks().withAuthorization(bearer(key));
  const session = async (key: CreatedKey): Promise<WireClient> => {
    const client = new WireClient(...stack.urls).withAuthorization(bearer(key));
    await client.initialize();
    return client;
  };

  describe('a request without valid credentials', () => {
    const REFUSED = [
      ['none', null],
      ['another scheme', 'Basic YTpi'],
      ['what is no key', 'Bearer ls_abc'],
      ['an unknown key', `Bearer ls_${'A'.repeat(43)}`],
    ] as const;

    it.each(REFUSED)('is 401 in both eras, whatever it is: %s', async (_, authorization) => {
      const owned = await session(ada);
      const stranger = owned.impostor(authorization);
      const answers = [
        await stranger.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
        await stranger.post({ jsonrpc: '2.0', method: 'notifications/initialized' }),
        await stranger.post({ jsonrpc: '2.0', id: 'x', result: {} }),
        await stranger.post('no JSON at all'),
        await stranger.get({}),
        await fetch(stack.urls[0] ?? '', {
          method: 'DELETE',
          headers: {
            'mcp-session-id': owned.sessionId,
            ...(authorization === null ? {} : { authorization }),
          },
        }),
        await fetch(stack.urls[0] ?? '', { method: 'PUT' }),
      ];
      const client = new ModernClient(stack.urls).withAuthorization(authorization);
      for (const method of ['server/discover', 'tools/list', 'tasks/get', 'no/such']) {
        answers.push(await client.post(client.build(method)));
      }
      const bodies = new Set<string>();
      for (const answer of answers) {
        expect(answer.status).toBe(401);
        const challenge = answer.headers.get('www-authenticate');
        expect(challenge).toMatch(/^Bearer (error="invalid_token", )?realm="longshore"$/);
        const { error } = (await answer.json()) as { error: unknown };
        bodies.add(JSON.stringify(error));
      }
      expect([...bodies]).toEqual([
        JSON.stringify({
          code: -32600,
          message:
            'Valid credentials are needed: send Authorization: Bearer with a key or token that is good now',
          data: { code: 'UNAUTHENTICATED' },
        }),
      ]);
      expect((await owned.request('ping')).status).toBe(200);
    });

    it('is not helped by a key in the query', async () => {
      const url = `${stack.urls[0]}?access_token=${ada.key}&key=${ada.key}`;
      const response = await fetch(url, { method: 'POST', body: '{}' });
      expect(response.status).toBe(401);
    });

    it('is told of no error when it did not try', async () => {
      const response = await fetch(stack.urls[0] ?? '', { method: 'POST', body: '{}' });
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="longshore"');
    });
  });

  describe('a principal', () => {
    it('is the same in both eras and with each of its keys', async () => {
      const second = await createKey(stack, { principal: 'ada' });
      const taskId = await modern(ada).startTask('echo', { text: 'mine' });
      const legacy = await session(second);
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject({ taskId });
      const other = await session(bob);
      expect(await other.error('tasks/get', { taskId })).toMatchObject({
        code: -32602,
        message: 'Task not found',
      });
      expect(await other.result('tasks/list')).toEqual({ tasks: [] });
    });

    it('has its sessions for itself, at every replica', async () => {
      const owned = await session(ada);
      const thief = owned.impostor(bearer(bob));
      const unknown = new WireClient(...stack.urls).withAuthorization(bearer(bob));
      for (const replica of [0, 1]) {
        const stolen = await thief.request('tools/list', {}, { replica });
        expect(stolen).toMatchObject({
          status: 404,
          last: { error: { data: { code: 'SESSION_NOT_FOUND' } } },
        });
        expect((await thief.get({ replica })).status).toBe(404);
        expect(await thief.delete({ replica })).toBe(404);
        expect((await thief.notify('notifications/cancelled', {}, { replica })).status).toBe(404);
        expect(await thief.respond({ id: 1 } as never, {}, { replica })).toBe(404);
        expect((await owned.request('tools/list', {}, { replica })).status).toBe(200);
      }
      expect((await unknown.request('tools/list')).status).toBe(400);
      const sibling = owned.impostor(bearer(await createKey(stack, { principal: 'ada' })));
      expect((await sibling.request('tools/list')).status).toBe(200);
    });
  });

  describe('a stream of 2024-11-05', () => {
    const base = () => stack.urls[0] ?? '';
    const open = (key: CreatedKey) => SseClient.open(base(), { authorization: bearer(key) });
    const ping = { jsonrpc: '2.0', id: 9, method: 'ping' };

    it('needs valid credentials, and so does each message', async () => {
      const stream = await open(ada);
      const get = { headers: { accept: 'text/event-stream' } };
      expect((await fetch(new URL('/sse', base()), get)).status).toBe(401);
      for (const authorization of ['', 'Bearer ls_abc']) {
        expect((await stream.post(ping, stream.endpoint, { authorization })).status).toBe(401);
      }
      stream.close();
    });

    it('is its principal’s alone, with the jobs of before', async () => {
      const taskId = await modern(ada).startTask('hang');
      const stream = await open(ada);
      await stream.initialize();
      const list = await stream.request(1, 'tools/call', { name: 'job_list', arguments: {} });
      expect(JSON.stringify(list.result)).toContain(taskId);
      const foreign = await stream.post(ping, stream.endpoint, { authorization: bearer(bob) });
      const unknown = new URL('/messages?sessionId=x', base());
      const nobodys = await stream.post(ping, unknown, { authorization: bearer(bob) });
      expect([foreign.status, await foreign.json()]).toEqual([404, await nobodys.json()]);
      await modern(ada).result('tasks/cancel', { taskId });
      stream.close();
    });

    it('is within the scopes of its key, and is cut with it', async () => {
      const key = await createKey(stack, { scopes: ['tools:echo'] });
      const stream = await open(key);
      await stream.initialize();
      const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'hang' } };
      expect((await stream.post(call)).status).toBe(403);
      await revokeKey(stack, key.id);
      await stream.ended;
    });
  });

  describe('scopes', () => {
    it('decide which tools are seen, and called', async () => {
      const key = await createKey(stack, { scopes: ['tools:echo', 'tools:steps'] });
      const legacy = await session(key);
      const names = (list: unknown) => (list as { name: string }[]).map(({ name }) => name);
      expect(names((await legacy.result('tools/list'))['tools'])).toEqual(['echo', 'steps']);
      const listed = await modern(key).result('tools/list');
      expect(names(listed['tools'])).toEqual(['echo', 'steps']);
      expect(listed['cacheScope']).toBe('private');
      const echo = { name: 'echo', arguments: { text: 'x' } };
      expect(await legacy.result('tools/call', echo)).toMatchObject({
        structuredContent: { text: 'x' },
      });
      for (const name of ['fail', 'no_such_tool']) {
        const call = { name, arguments: {} };
        const answer = await legacy.post({
          jsonrpc: '2.0',
          id: 7,
          method: 'tools/call',
          params: call,
        });
        expect(answer.status).toBe(403);
        expect(answer.headers.get('www-authenticate')).toBe(
          `Bearer error="insufficient_scope", realm="longshore", scope="tools:${name}", error_description="The request needs a scope that the credentials lack"`,
        );
        expect(await answer.json()).toMatchObject({
          id: 7,
          error: { data: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [`tools:${name}`] } },
        });
        expect(await modern(key).error('tools/call', call)).toMatchObject({
          status: 403,
          data: { code: 'INSUFFICIENT_SCOPE', requiredScopes: [`tools:${name}`] },
        });
      }
    });

    it('decide who reads tasks and who ends them', async () => {
      const holding = (...scopes: string[]) => createKey(stack, { principal: 'team', scopes });
      const caller = modern(await holding('tools:*'));
      const reader = await holding('tasks:read');
      const taskId = await caller.startTask('hang');
      const task = { taskId };
      expect(await caller.error('tasks/get', task)).toMatchObject({ status: 403 });
      expect(await caller.error('tasks/cancel', task)).toMatchObject({ status: 403 });
      expect(await modern(reader).result('tasks/get', task)).toMatchObject({ status: 'working' });
      for (const method of ['tasks/cancel', 'tasks/update']) {
        const params = { ...task, inputResponses: {} };
        expect(await modern(reader).error(method, params)).toMatchObject({
          status: 403,
          data: { requiredScopes: ['tasks:write'] },
        });
      }
      const legacy = await session(reader);
      expect((await legacy.request('tasks/cancel', task)).status).toBe(403);
      expect((await legacy.notify('notifications/cancelled', { requestId: 1 })).status).toBe(403);
      expect(await legacy.respond({ id: 1 } as never, {})).toBe(403);
      expect(await modern(reader).result('tasks/get', task)).toMatchObject({ status: 'working' });
      const writer = modern(await holding('tasks:write'));
      await writer.result('tasks/cancel', task);
      const listen = { notifications: { taskIds: [taskId] } };
      expect(await writer.error('subscriptions/listen', listen)).toMatchObject({ status: 403 });
    });

    it('decide who ends sessions that another key has opened', async () => {
      const holding = (...scopes: string[]) => createKey(stack, { principal: 'crew', scopes });
      const owned = await session(await holding('tools:*'));
      const reader = await holding('tasks:read');
      const refused = await owned.impostor(bearer(reader)).deleteRaw();
      expect(refused.status).toBe(403);
      expect(refused.headers.get('www-authenticate')).toContain('scope="tasks:write"');
      expect((await owned.request('ping')).status).toBe(200);
      // Its own are its own to end.
      expect(await (await session(reader)).delete()).toBe(204);
      expect(await owned.impostor(bearer(await holding('tasks:write'))).delete()).toBe(204);
    });
  });

  describe('schedules', () => {
    const daily = (tool: string, args: object = {}) => ({
      name: 'job_schedule',
      arguments: { tool, arguments: args, cron: '0 0 29 2 *' },
    });
    const structured = async <T>(client: ModernClient, call: object): Promise<T> =>
      (await client.result('tools/call', call as never))['structuredContent'] as T;

    it('need the scope of what they run', async () => {
      const holding = async (...scopes: string[]) => modern(await createKey(stack, { scopes }));
      for (const [client, lacking] of [
        [await holding('tools:echo'), ['tasks:write', 'tools:echo']],
        [await holding('tasks:write'), ['tasks:write', 'tools:echo']],
      ] as const) {
        expect(await client.error('tools/call', daily('echo'))).toMatchObject({
          status: 403,
          data: { code: 'INSUFFICIENT_SCOPE', requiredScopes: lacking },
        });
      }
      const client = await holding('tasks:write', 'tools:echo', 'tools:batch');
      const batch = daily('batch', { tool: 'fail', items: [{}] });
      expect(await client.error('tools/call', batch)).toMatchObject({
        status: 403,
        data: { requiredScopes: ['tasks:write', 'tools:batch', 'tools:fail'] },
      });
      const { tools } = (await client.result('tools/list')) as { tools: { name: string }[] };
      expect(tools.map(({ name }) => name).filter((name) => name.startsWith('job_'))).toEqual([
        'job_schedule',
        'job_unschedule',
      ]);
      expect(
        await client.error('tools/call', { name: 'job_schedules', arguments: {} }),
      ).toMatchObject({
        status: 403,
      });
      const added = await client.result('tools/call', daily('echo', { text: 'x' }));
      expect(added['isError']).toBeUndefined();
    });

    it('are as many as the key allows', async () => {
      const client = modern(await createKey(stack, { limits: { schedules: 1 } }));
      const call = daily('echo', { text: 'x' });
      expect((await client.result('tools/call', call))['isError']).toBeUndefined();
      const second = await client.result('tools/call', call);
      expect([second['isError'], JSON.stringify(second)]).toEqual([
        true,
        expect.stringContaining('1 schedules, the limit'),
      ]);
    });

    it('are paused when their key is revoked, for another key of the principal to see', async () => {
      const [key, other] = [
        await createKey(stack, { principal: 'scheduling' }),
        await createKey(stack, { principal: 'scheduling' }),
      ];
      const { schedule } = await structured<{ schedule: { schedule_id: string } }>(
        modern(key),
        daily('echo', { text: 'x' }),
      );
      await revokeKey(stack, key.id);
      const client = new pg.Client(stack.environment['DATABASE_URL']);
      await client.connect();
      await client.query(
        'UPDATE schedules SET next_run_at = now(), wake_at = now() WHERE id = $1',
        [schedule.schedule_id],
      );
      await client.end();
      const seen = await waitFor(
        async () => {
          const { schedules } = await structured<{ schedules: { state: string }[] }>(
            modern(other),
            { name: 'job_schedules', arguments: {} },
          );
          return schedules[0]?.state === 'active' ? null : schedules;
        },
        { what: 'the schedule is paused' },
      );
      expect(seen).toMatchObject([
        { state: 'paused', runs: 0, note: expect.stringContaining('was revoked') },
      ]);
    });
  });

  describe('a revoked key', () => {
    it('is refused at once at every replica, and what it held open is cut', async () => {
      const key = await createKey(stack);
      const client = modern(key);
      const legacy = await session(key);
      const streams = [
        await legacy.listen({ replica: 0 }),
        await legacy.open('tools/call', { name: 'hang', arguments: {} }, { replica: 1 }),
        await client.open('subscriptions/listen', { notifications: { toolsListChanged: true } }),
      ];
      for (const replica of [0, 1]) await client.result('tools/list', {}, { replica });
      expect(await revokeKey(stack, key.id)).toMatch(/\nRevoked\.$/);
      await waitFor(
        async () => {
          const answers = await Promise.all(
            [0, 1].map((replica) => client.request('tools/list', {}, { replica })),
          );
          return answers.every(({ status }) => status === 401);
        },
        { what: 'both replicas have heard of it' },
      );
      await Promise.all(streams.map((stream) => stream.ended.catch(() => {})));
      expect((await modern(bob).request('tools/list')).status).toBe(200);
    });
  });

  /** After all the others, for it is about what they have left behind. */
  describe('keys', () => {
    const callsOf = async (key: CreatedKey): Promise<string> => {
      const legacy = await session(key);
      const unknown = legacy.withAuthorization(`Bearer ls_${'B'.repeat(43)}`);
      const revealing = legacy.impostor(`Bearer ${key.key} ${key.key}`);
      const answers = [
        await legacy.request('tools/call', { name: 'echo', arguments: { text: 'found-me' } }),
        await legacy.request('tools/call', { name: 'fail', arguments: { message: 'no' } }),
        await legacy.request('tools/call', { name: 'no_such_tool', arguments: {} }),
        await legacy.request('tasks/get', { taskId: 'nonsense' }),
        await modern(key).request('tools/call', { name: 'refuse', arguments: {} }),
        await modern(key).request('tools/call', { name: 'echo', arguments: { text: 'found-me' } }),
        await (await unknown.post({})).text(),
        await (await unknown.post('no JSON')).text(),
        await (await revealing.post({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).text(),
      ];
      const { taskId } = await modern(key).result('tools/call', {
        name: 'flaky',
        arguments: { failures: 1 },
      });
      await waitFor(
        async () => (await modern(key).result('tasks/get', { taskId }))['status'] === 'completed',
        { what: 'the task is done' },
      );
      return JSON.stringify(answers);
    };

    it('are in no log, row, job, message or answer', async () => {
      const redisUrl = stack.environment['REDIS_URL'] ?? '';
      const tap = redisUrl === '' ? null : await RedisTap.open(redisUrl);
      const answers = (await callsOf(ada)) + (await callsOf(bob));
      const secrets = [ada.key, bob.key].flatMap((key) => [key, key.slice(3, 35), key.slice(-20)]);
      const texts = [...secrets, 'B'.repeat(43), 'Bearer ls_'];
      expect(await searchEverything(stack, texts)).toEqual([]);
      const passing = [answers, ...(tap?.lines ?? [])];
      expect(passing.filter((line) => texts.some((text) => line.includes(text)))).toEqual([]);
      tap?.close();
      // What is there is found: in answers, rows, and on the way through Redis.
      expect(answers).toContain('found-me');
      expect((await searchEverything(stack, ['found-me'])).length).toBeGreaterThan(0);
      expect((await searchEverything(stack, [ada.key.slice(0, 8)])).length).toBeGreaterThan(0);
      if (tap !== null) {
        const jobs = await searchEverything(stack, ['bull:', 'longshore']);
        expect(jobs.some((place) => place.startsWith('redis: '))).toBe(true);
        expect(tap.lines.some((line) => line.includes('"kind":"changed"'))).toBe(true);
      }
    });
  });
}

describeInMode('API keys', 'redis', apiKeys);
