import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { PrincipalLimits } from '@longshore/core';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, SseClient, WireClient } from '@longshore/testing/mcp';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createKey } from './support/api-keys.ts';
import { MODERN_TOOLS } from './support/modern-stack.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const ECHO = { name: 'echo', arguments: { text: 'x' } };
const HANG = { name: 'hang', arguments: {} };

interface Caller {
  readonly legacy: WireClient;
  readonly modern: ModernClient;
}

function limits(mode: Mode): void {
  let stack: Stack;
  let database: pg.Client;

  beforeAll(async () => {
    stack = await startStack({
      mode,
      apis: 2,
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${FIXTURE_TOOLS},${MODERN_TOOLS}`,
        WORKER_CONCURRENCY: '1',
        SSE_TRANSPORT: 'true',
      },
    });
    database = new pg.Client(stack.environment['DATABASE_URL'] ?? '');
    await database.connect();
    const { modern } = await caller({});
    for (const replica of stack.urls.keys()) {
      await waitFor(
        async () =>
          JSON.stringify(await modern.result('prompts/list', {}, { replica })).includes('ask_'),
        { what: 'the catalogue is there' },
      );
    }
  });
  afterAll(async () => {
    await database.end();
    await stack.stop();
  });
  // The one place of the worker is for the next test.
  afterEach(async () => {
    await database.query(
      `UPDATE tasks SET state = 'cancelled', finished_at = now(), claimed_by = NULL, lease_expires_at = NULL
       WHERE finished_at IS NULL`,
    );
  });

  /** A principal of its own, whose key has these limits, and a session of it. */
  async function caller(own: Partial<PrincipalLimits>): Promise<Caller> {
    const { key } = await createKey(stack, { limits: own });
    const authorization = `Bearer ${key}`;
    const legacy = new WireClient(...stack.urls).withAuthorization(authorization);
    await legacy.initialize('2025-11-25', { elicitation: {} });
    const modern = new ModernClient(stack.urls).withTasks().withAuthorization(authorization);
    return { legacy, modern };
  }
  /** POSTs a request, for its headers. */
  const send = {
    legacy: ({ legacy }: Caller, method: string, params: object = {}, replica = 0) =>
      legacy.post({ jsonrpc: '2.0', id: 'x', method, params }, { replica }),
    modern: ({ modern }: Caller, method: string, params: object = {}, replica = 0) =>
      modern.post(modern.build(method, { ...params }), { replica }),
  };
  /** A refusal as it has to be in both eras. */
  async function expectRefusal(response: Response, code: string, rpc: number): Promise<void> {
    const { error } = (await response.json()) as {
      error: { code: number; data: { code: string; retryAfterMs: number } };
    };
    expect({ status: response.status, error }).toMatchObject({
      status: 429,
      error: { code: rpc, data: { code, retryable: true } },
    });
    const { retryAfterMs } = error.data;
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(response.headers.get('retry-after')).toBe(String(Math.ceil(retryAfterMs / 1_000)));
  }
  const countTasks = async (): Promise<number> =>
    Number((await database.query('SELECT count(*) FROM tasks')).rows[0]?.count);
  /** Sends at the first API until it refuses. @returns how many it took */
  async function exhaust(who: Caller): Promise<number> {
    for (let taken = 0; taken < 1_000; taken += 1) {
      const response = await send.modern(who, 'server/discover');
      await response.text();
      if (response.status === 429) return taken;
    }
    throw new Error('no limit');
  }

  describe('requests per minute', () => {
    it('are the principal’s, in both eras, at every API', async () => {
      const { key, principal } = await createKey(stack, { limits: { requestsPerMinute: 30 } });
      const modern = new ModernClient(stack.urls).withAuthorization(`Bearer ${key}`);
      const legacy = new WireClient(...stack.urls).withAuthorization(`Bearer ${key}`);
      await legacy.initialize();
      const who = { legacy, modern };
      // Handshake and `notifications/initialized` count.
      expect(await exhaust(who)).toBe(28);
      await expectRefusal(await send.modern(who, 'server/discover'), 'RATE_LIMITED', -32_010);
      await expectRefusal(await send.legacy(who, 'ping'), 'RATE_LIMITED', -32_010);
      expect((await legacy.get({})).status).toBe(429);
      await waitFor(async () => (await send.legacy(who, 'ping', {}, 1)).status === 429, {
        what: 'the other API has heard of it',
      });
      const second = await createKey(stack, { principal, limits: { requestsPerMinute: 30 } });
      const sibling = modern.withAuthorization(`Bearer ${second.key}`);
      expect((await sibling.request('server/discover', {}, { replica: 0 })).status).toBe(429);
      const roomy = await createKey(stack, { principal, limits: { requestsPerMinute: 0 } });
      expect(
        (await modern.withAuthorization(`Bearer ${roomy.key}`).request('server/discover')).status,
      ).toBe(200);
      const bob = await caller({ requestsPerMinute: 30 });
      expect((await send.modern(bob, 'server/discover')).status).toBe(200);
    });

    it('are used up by large ones sooner, by bytes and by names', async () => {
      const callWith = (args: object) => ({ name: 'no_such_tool', arguments: args });
      const of16KiB = (count: number) => callWith({ text: 'x'.repeat(count * 16_384) });
      const ofNames = (count: number) =>
        callWith(Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0])));
      for (const era of ['legacy', 'modern'] as const) {
        const who = await caller({ requestsPerMinute: 100 });
        for (const params of [of16KiB(20), ofNames(2_000)]) {
          expect((await send[era](who, 'tools/call', params)).status).not.toBe(429);
        }
        // Handshake and `notifications/initialized`; 20 times 16 KiB; 2,000 names, which have 16 KiB as well.
        expect(await exhaust(who)).toBe(100 - 2 - 21 - 22);
      }
    });

    it('refuse before anything is done', async () => {
      const who = await caller({ requestsPerMinute: 10 });
      await exhaust(who);
      const before = await countTasks();
      for (const era of ['legacy', 'modern'] as const) {
        const response = await send[era](who, 'tools/call', ECHO);
        await expectRefusal(response, 'RATE_LIMITED', -32_010);
      }
      expect(await countTasks()).toBe(before);
    });

    it('never refuse the answer to a question, a withdrawal, or the end of a session', async () => {
      const who = await caller({ requestsPerMinute: 10 });
      const { legacy } = who;
      const ask = { name: 'ask_name', arguments: {} };
      const stream = await legacy.open('tools/call', ask);
      const question = await waitFor(() => stream.questions[0], { what: 'it asks' });
      await exhaust(who);
      const yes = { action: 'accept', content: { name: 'Ada' } };
      expect(await legacy.respond(question, yes)).toBe(202);
      await stream.ended;
      expect(stream.answer?.result).toMatchObject({ content: [{ text: 'Hello, Ada!' }] });
      expect((await legacy.notify('notifications/cancelled', { requestId: 99 })).status).toBe(202);
      expect((await send.legacy(who, 'ping')).status).toBe(429);
      expect(await legacy.delete()).toBe(204);
    });

    it('are served and kept by each API while they can not be counted together', async () => {
      const who = await caller({ requestsPerMinute: 20 });
      const repair = await breakCounts(mode, stack, database);
      try {
        for (let index = 0; index < 10; index += 1) {
          expect((await send.modern(who, 'server/discover')).status).toBe(200);
        }
        await waitFor(
          () => stack.apis[0]?.lines.some((line) => line.includes('can not be counted')),
          { what: 'it says so' },
        );
        // Twenty, without those and two of the handshake.
        expect(await exhaust(who)).toBe(8);
        expect((await send.modern(who, 'server/discover', {}, 1)).status).toBe(200);
      } finally {
        await repair();
      }
    });
  });

  it('refuses tasks beyond those that may wait, and takes more when some have begun', async () => {
    const who = await caller({ queuedTasks: 3 });
    const asTask = { ...HANG, task: {} };
    const running = await who.modern.startTask('hang');
    await waitFor(
      async () => (await database.query('SELECT FROM tasks WHERE claimed_by IS NOT NULL')).rowCount,
      { what: 'one runs' },
    );
    const keyed = { ...asTask, _meta: { 'dev.longshore/idempotencyKey': 'once' } };
    const { task: first } = await who.legacy.result('tools/call', keyed);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => send.legacy(who, 'tools/call', asTask)),
    );
    const statuses = answers.map(({ status }) => status).toSorted();
    expect(statuses).toEqual([200, 200, ...Array(8).fill(429)]);
    const before = await countTasks();
    for (const replica of [0, 1]) {
      await expectRefusal(
        await send.legacy(who, 'tools/call', asTask, replica),
        'TOO_MANY_TASKS',
        -32_011,
      );
      // Plain calls are tasks as well.
      await expectRefusal(
        await send.legacy(who, 'tools/call', ECHO, replica),
        'TOO_MANY_TASKS',
        -32_011,
      );
      await expectRefusal(
        await send.modern(who, 'tools/call', ECHO, replica),
        'TOO_MANY_TASKS',
        -32_011,
      );
    }
    await expectRefusal(
      await send.modern({ ...who, modern: who.modern.declaring({}) }, 'tools/call', ECHO),
      'TOO_MANY_TASKS',
      -32_011,
    );
    // What is there already adds nothing.
    expect(await who.legacy.result('tools/call', keyed, { replica: 1 })).toMatchObject({
      task: { taskId: (first as { taskId: string }).taskId },
    });
    expect(await countTasks()).toBe(before);
    const others = await caller({ queuedTasks: 3 });
    // It may have the one seat first, and has to leave it.
    const ofOthers = { ...ECHO, task: {} };
    expect((await send.legacy(others, 'tools/call', ofOthers)).status).toBe(200);
    await who.modern.result('tasks/cancel', { taskId: running });
    await waitFor(async () => (await send.legacy(who, 'tools/call', asTask)).status === 200, {
      what: 'there is room again',
    });
  });

  it('refuses a body of too many names or values before it is parsed', async () => {
    const who = await caller({});
    const answers = async (args: unknown) => {
      const params = { name: 'no_such_tool', arguments: args };
      const both = [
        await send.legacy(who, 'tools/call', params),
        await send.modern(who, 'tools/call', params),
      ];
      return Promise.all(both.map(async (answer) => JSON.parse(await answer.text())));
    };
    const names = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
    const tooMuch = {
      error: { code: -32_600, message: expect.stringMatching(/^The body has over/) },
    };
    for (const args of [names(20_000), { list: Array(200_000).fill(0) }]) {
      for (const answer of await answers(args)) expect(answer).toMatchObject(tooMuch);
    }
    const unknownTool = { error: { code: -32_602 } };
    const rows = Array.from({ length: 60_000 }, (_, row) => ({ row, of: 1 }));
    for (const args of [names(19_900), { list: Array(199_900).fill(0) }, { rows }]) {
      for (const answer of await answers(args)) expect(answer).toMatchObject(unknownTool);
    }
  });

  it('refuses arguments that are too large, and bounds ttl and streams, by the key', async () => {
    const who = await caller({ argumentBytes: 100, maxTtlMs: 5_000, openStreams: 1 });
    const before = await countTasks();
    // {"text":"…"} is eleven bytes more than its text, and a rune here is four.
    const fits = { name: 'echo', arguments: { text: `${'\u{1F6A2}'.repeat(22)}x` } };
    const large = { name: 'echo', arguments: { text: `${'\u{1F6A2}'.repeat(22)}xx` } };
    for (const error of [
      await who.legacy.error('tools/call', large),
      await who.legacy.error('tools/call', { ...large, task: {} }),
      await who.modern.error('tools/call', large),
      await who.modern.declaring({}).error('tools/call', large),
    ]) {
      expect(error).toMatchObject({
        code: -32_602,
        data: { code: 'ARGUMENTS_TOO_LARGE', bytes: 101, maxBytes: 100 },
      });
    }
    expect(await countTasks()).toBe(before);
    expect(await who.legacy.result('tools/call', fits)).not.toHaveProperty('isError', true);
    const { task } = await who.legacy.result('tools/call', { ...fits, task: { ttl: 600_000 } });
    expect(task).toMatchObject({ ttl: 5_000 });
    expect(await who.modern.result('tools/call', fits)).toMatchObject({ ttlMs: 5_000 });
    const stream = await who.legacy.open('tools/call', HANG);
    await expectRefusal(await send.legacy(who, 'ping'), 'TOO_MANY_STREAMS', -32_000);
    stream.close();
    const held = await who.modern.declaring({}).open('tools/call', HANG, { replica: 1 });
    const again = { ...who, modern: who.modern.declaring({}) };
    await expectRefusal(
      await send.modern(again, 'tools/call', HANG, 1),
      'TOO_MANY_STREAMS',
      -32_000,
    );
    held.close();
  });

  it('counts what is held open per principal: over sessions, streams and both eras', async () => {
    const { key } = await createKey(stack, { limits: { openStreams: 3 } });
    const sessions = [1, 2, 3].map(() =>
      new WireClient(...stack.urls).withAuthorization(`Bearer ${key}`),
    );
    for (const session of sessions) await session.initialize();
    const modern = new ModernClient(stack.urls).withAuthorization(`Bearer ${key}`);
    const [first, second, third] = sessions;
    if (!(first && second && third)) throw new Error('three sessions');
    const sse = await SseClient.open(stack.urls[0] ?? '', { authorization: `Bearer ${key}` });
    const streams = [await first.listen(), await second.open('tools/call', HANG)];
    const callers = { legacy: third, modern };
    for (const era of ['legacy', 'modern'] as const) {
      const refused = await send[era](callers, 'tools/call', ECHO);
      await expectRefusal(refused, 'TOO_MANY_STREAMS', -32_000);
    }
    expect((await third.get({})).status).toBe(429);
    const more = { headers: { accept: 'text/event-stream', authorization: `Bearer ${key}` } };
    expect((await fetch(new URL('/sse', stack.urls[0]), more)).status).toBe(429);
    sse.close();
    await waitFor(async () => (await send.legacy(callers, 'ping')).status === 200, {
      what: 'what has ended counts no more',
    });
    for (const stream of streams) stream.close();
  });

  it('keeps of what a client declares only what it is asked for', async () => {
    const { key } = await createKey(stack);
    const client = new WireClient(...stack.urls).withAuthorization(`Bearer ${key}`);
    const experimental = { padding: 'x'.repeat(700_000) };
    const elicitation = { form: { experimental }, url: { experimental } };
    await client.initialize('2025-11-25', { elicitation, experimental, sampling: experimental });
    const { rows } = await database.query(
      `SELECT client_capabilities AS kept, octet_length(sessions::text) < 1000 AS small
       FROM sessions WHERE id = $1`,
      [client.sessionId],
    );
    expect(rows).toEqual([
      { kept: { elicitation: { form: {}, url: {} }, sampling: {} }, small: true },
    ]);
  });

  describe('sessions', () => {
    const initialize = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'many', version: '1' },
    };
    const sleeping = (session: WireClient) =>
      database.query(`UPDATE sessions SET last_seen_at = now() - interval '1 hour' WHERE id = $1`, [
        session.sessionId,
      ]);

    it('beyond those of a principal replace the one that was idle for longest, and none in use', async () => {
      const { key } = await createKey(stack, { limits: { sessions: 3 } });
      const open = async (): Promise<WireClient | null> => {
        const session = new WireClient(...stack.urls).withAuthorization(`Bearer ${key}`);
        return (await session.initialize()).error === undefined ? session : null;
      };
      const [idle, used, third] = [await open(), await open(), await open()];
      if (!(idle && used && third)) throw new Error('three sessions');
      const who = { legacy: idle.withAuthorization(`Bearer ${key}`), modern: null as never };
      await expectRefusal(
        await send.legacy(who, 'initialize', initialize),
        'TOO_MANY_SESSIONS',
        -32_012,
      );
      await sleeping(idle);
      const another = await waitFor(open, { what: 'there is room' });
      for (const replica of [0, 1]) {
        expect((await another.request('ping', {}, { replica })).status).toBe(200);
        expect((await used.request('ping', {}, { replica })).status).toBe(200);
      }
      await waitFor(async () => (await idle.request('ping')).status === 404, {
        what: 'the idle one is gone',
      });
      // A client that ends its sessions never meets the limit.
      expect(await used.delete()).toBe(204);
      await waitFor(open, { what: 'there is room again' });
    });
  });
}

/** Makes whatever counts requests fail, and nothing else. @returns mends it */
async function breakCounts(
  mode: Mode,
  stack: Stack,
  database: pg.Client,
): Promise<() => Promise<unknown>> {
  if (mode === 'postgres') {
    await database.query('ALTER TABLE request_counts RENAME TO gone');
    return () => database.query('ALTER TABLE gone RENAME TO request_counts');
  }
  const redis = new Redis(stack.environment['REDIS_URL'] ?? '');
  const { rows } = await database.query<{ id: string }>('SELECT id FROM auth_contexts');
  const keys = rows.map(({ id }) => `longshore:requests:${id}`);
  for (const key of keys) await redis.multi().del(key).lpush(key, 'no number').exec();
  return async () => {
    await redis.del(...keys);
    redis.disconnect();
  };
}

describe('limits, Postgres only', () => limits('postgres'));
describeWithRedis('limits, with Redis', () => limits('redis'));
