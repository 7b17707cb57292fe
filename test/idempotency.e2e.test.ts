import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import pg from 'pg';
import { type CreatedKey, createKey } from './support/api-keys.ts';
import { type Stack, startStack } from './support/stack.ts';

const KEY = 'dev.longshore/idempotencyKey';
const DUPLICATES = 50;
const CANCELLED = { code: -32_000, data: { code: 'TASK_CANCELLED' } };

/** Takes long enough for all duplicates to come while it runs. */
const SLOW = { name: 'steps', arguments: { steps: 5, stepMs: 100 } };

function idempotentSubmit(mode: Mode): void {
  let stack: Stack;
  let database: pg.Client;
  let ada: CreatedKey;
  let legacy: WireClient;
  /** The second session of the same principal. */
  let other: WireClient;
  let modern: ModernClient;

  beforeAll(async () => {
    stack = await startStack({ mode, apis: 2, environment: { AUTH: 'api-key' } });
    database = new pg.Client(stack.environment['DATABASE_URL'] ?? '');
    await database.connect();
    ada = await createKey(stack);
    legacy = await session(ada);
    other = await session(ada);
    modern = new ModernClient(stack.urls).withTasks().withAuthorization(`Bearer ${ada.key}`);
    for (const replica of stack.urls.keys()) {
      await waitFor(
        async () =>
          JSON.stringify(await modern.result('tools/list', {}, { replica })).includes('echo'),
        { what: 'the catalogue is there' },
      );
    }
  });
  afterAll(async () => {
    await database.end();
    await stack.stop();
  });

  const session = async ({ key }: CreatedKey): Promise<WireClient> => {
    const client = new WireClient(...stack.urls).withAuthorization(`Bearer ${key}`);
    await client.initialize();
    return client;
  };
  const newKey = (): string => `key of ${randomUUID()}`;
  /** The rows that a key has come to: id, whether it has a handle, state. */
  const rowsOf = async (key: string) =>
    (
      await database.query<{ id: string; listed: boolean; state: string }>(
        'SELECT id, listed, state FROM tasks WHERE idempotency_key = $1',
        [key],
      )
    ).rows;
  const started = (key: string) =>
    waitFor(
      async () =>
        (
          await database.query(
            'SELECT FROM tasks WHERE idempotency_key = $1 AND claimed_by IS NOT NULL',
            [key],
          )
        ).rowCount === 1,
      { what: 'it runs' },
    );
  const meta = (key: string) => ({ _meta: { [KEY]: key } });
  /** A plain call in each era, as either client. */
  const plain = {
    legacy: (key: string, call: object = SLOW, replica = 0, who = legacy) =>
      who.request('tools/call', { ...call, ...meta(key) }, { replica }),
    modern: (key: string, call: object = SLOW, replica = 0, _who?: WireClient) =>
      modern.declaring({}).request('tools/call', { ...call }, { replica, meta: { [KEY]: key } }),
  };
  const asTask = {
    legacy: async (key: string, call: object = SLOW, replica = 0, who = legacy) => {
      const params = { ...call, ...meta(key), task: { ttl: 600_000 } };
      const { task } = await who.result('tools/call', params, { replica });
      return task as { taskId: string; status: string };
    },
    modern: async (key: string, call: object = SLOW, replica = 0, _who?: WireClient) =>
      (await modern.result('tools/call', { ...call }, { replica, meta: { [KEY]: key } })) as {
        taskId: string;
        status: string;
      },
  };
  const duplicates = <Answer>(send: (index: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(Array.from({ length: DUPLICATES }, (_, index) => send(index)));

  describe.each(['legacy', 'modern'] as const)('%s calls, many at once at two APIs', (era) => {
    it('are one task when they ask for one', async () => {
      const key = newKey();
      const handles = await duplicates((index) =>
        asTask[era](key, SLOW, index % 2, index % 3 === 0 ? other : legacy),
      );
      const [row] = await rowsOf(key);
      expect(new Set(handles.map(({ taskId }) => taskId))).toEqual(new Set([row?.id]));
      expect(await rowsOf(key)).toHaveLength(1);
      const result = await legacy.result('tasks/result', { taskId: row?.id });
      expect(result).toMatchObject({ structuredContent: { attempt: 1 } });
      expect((await asTask[era](key)).status).toBe('completed');
    });

    it('are one run, whose result all of them get, when they are plain', async () => {
      const key = newKey();
      const answers = await duplicates((index) =>
        plain[era](key, SLOW, index % 2, index % 3 === 0 ? other : legacy),
      );
      const results = new Set(answers.map(({ last }) => JSON.stringify(last.result)));
      expect(results.size).toBe(1);
      expect(answers[0]?.last.result).toMatchObject({ structuredContent: { attempt: 1 } });
      expect(await rowsOf(key)).toEqual([
        { id: expect.any(String), listed: false, state: 'finished' },
      ]);
      expect((await plain[era](key)).last.result).toEqual(answers[0]?.last.result);
    });

    it('are refused when they differ, and the first one stays', async () => {
      const key = newKey();
      const echo = (text: string) => ({ name: 'echo', arguments: { text } });
      const { taskId } = await asTask[era](key, echo('one'));
      for (const again of [plain.legacy, plain.modern]) {
        const { status, last } = await again(key, echo('two'), 1);
        expect(status).toBe(200);
        expect(last.error).toMatchObject({
          code: -32_602,
          data: { code: 'IDEMPOTENCY_CONFLICT' },
        });
      }
      // Another tool is another call.
      const fail = { name: 'fail', arguments: { message: 'x' } };
      expect((await plain[era](key, fail)).last.result).toMatchObject({ isError: true });
      expect((await asTask[era](key, echo('one'))).taskId).toBe(taskId);
    });

    it('are answered by the task that was cancelled', async () => {
      const key = newKey();
      const hang = { name: 'hang', arguments: {} };
      const { taskId } = await asTask[era](key, hang);
      const waiting = plain[era](key, hang, 1);
      await started(key);
      await legacy.result('tasks/cancel', { taskId });
      expect((await waiting).last.error).toMatchObject(CANCELLED);
      expect(await asTask[era](key, hang, 1)).toMatchObject({ taskId, status: 'cancelled' });
      expect((await plain[era](key, hang)).last.error).toMatchObject(CANCELLED);
      expect(await rowsOf(key)).toHaveLength(1);
    });

    it('need a key of its form', async () => {
      for (const key of ['', 'x'.repeat(257), 'a\nb', 7]) {
        const { last } = await plain[era](key as string);
        expect(last.error).toMatchObject({ code: -32_602, data: { code: 'INVALID_PARAMS' } });
      }
    });

    it('keep a result that failed, and arguments that do not fit', async () => {
      const key = newKey();
      const call = { name: 'fail', arguments: { message: 'no luck' } };
      const first = (await plain[era](key, call)).last.result;
      expect(first).toMatchObject({ isError: true });
      expect((await plain[era](key, call, 1)).last.result).toEqual(first);
      expect(await rowsOf(key)).toHaveLength(1);
    });
  });

  it('is the same in both eras, and gives a call a handle after all', async () => {
    const key = newKey();
    const waiting = plain.legacy(key);
    await waitFor(async () => (await rowsOf(key)).length === 1, { what: 'the row is there' });
    const joined = plain.modern(key, SLOW, 1);
    const [{ taskId }, again] = [await asTask.modern(key), await asTask.legacy(key, SLOW, 1)];
    expect(again.taskId).toBe(taskId);
    expect(await rowsOf(key)).toMatchObject([{ id: taskId, listed: true }]);
    const [first, second] = [(await waiting).last.result, (await joined).last.result];
    expect(first).toMatchObject({ structuredContent: { attempt: 1 } });
    expect(second).toMatchObject({ structuredContent: first?.['structuredContent'] });
    expect(await modern.result('tasks/get', { taskId })).toMatchObject({ status: 'completed' });
  });

  it('is of one principal: the key of another one is unknown', async () => {
    const key = newKey();
    const { taskId } = await asTask.modern(key);
    const bob = await session(await createKey(stack));
    const foreign = await asTask.legacy(key, SLOW, 0, bob);
    expect(foreign.taskId).not.toBe(taskId);
    // Nor is there a conflict to learn from.
    const other = await asTask.legacy(key, { name: 'echo', arguments: { text: 'x' } }, 0, bob);
    expect(other.taskId).not.toBe(taskId);
  });

  it('outlives the connection of a modern call, whose result the next one gets', async () => {
    const key = newKey();
    const call = { name: 'steps', arguments: { steps: 10, stepMs: 100 } };
    const stream = await modern
      .declaring({})
      .open('tools/call', call, { replica: 0, meta: { [KEY]: key, progressToken: 1 } });
    await started(key);
    stream.close();
    const { last } = await plain.modern(key, call, 1);
    expect(last.result).toMatchObject({ structuredContent: { attempt: 1 } });
    expect(await rowsOf(key)).toMatchObject([{ state: 'finished' }]);
  });

  it('is cancelled by the request that made it, and its duplicates hear of it', async () => {
    const key = newKey();
    const hang = { name: 'hang', arguments: {} };
    const id = legacy.nextId();
    const maker = await legacy.open('tools/call', { ...hang, ...meta(key) }, { id });
    await started(key);
    // A duplicate that is withdrawn only goes itself.
    const otherId = other.nextId() + 1_000;
    const withdrawn = await other.open(
      'tools/call',
      { ...hang, ...meta(key) },
      { id: otherId, replica: 1 },
    );
    await other.notify('notifications/cancelled', { requestId: otherId });
    await withdrawn.ended;
    const waiting = plain.modern(key, hang, 1);
    expect(await rowsOf(key)).toMatchObject([{ state: 'working' }]);
    await legacy.notify('notifications/cancelled', { requestId: id }, { replica: 1 });
    expect((await waiting).last.error).toMatchObject({ code: -32_000 });
    await maker.ended;
    expect(await rowsOf(key)).toMatchObject([{ state: 'cancelled' }]);
  });
}

describeInMode('idempotent submit', 'redis', idempotentSubmit);
