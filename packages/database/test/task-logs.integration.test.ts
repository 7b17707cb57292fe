import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { LogMessage, NewTask } from '@longshore/core';
import { lockRow, waitForLocked } from './fixtures/lock-row.ts';
import {
  accepted,
  alter,
  claimed,
  fenceOf,
  loseLease,
  newPrincipalId,
  newTaskId,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

describe('logs', () => {
  const message = (data: LogMessage['data'], changes: Partial<LogMessage> = {}): LogMessage => ({
    level: 'info',
    logger: 'resize_images',
    data,
    ...changes,
  });

  const running = async (changes: Partial<NewTask> = {}): Promise<NewTask> => {
    const task = await accepted(stores, changes);
    await claimed(stores, task.id);
    return task;
  };

  const logs = (task: NewTask, after = '0', limit = 1_000) =>
    stores.taskStore.logs(task.id, task.principalId, after, limit);

  const dataOf = async (task: NewTask, after = '0', limit = 1_000) =>
    (await logs(task, after, limit)).map(({ data }) => data);

  it('keeps messages exactly, in their order', async () => {
    const task = await running();
    const messages = [
      message('a\0b'),
      message({ z: '\ud800', a: [1e-7, null] }, { level: 'emergency', logger: null }),
      message(null, { level: 'debug' }),
    ];
    expect(await stores.attemptStore.appendLogs(fenceOf(task.id, 1), messages)).toBe(true);
    const kept = await logs(task);
    expect(kept).toEqual(
      messages.map((entry) => ({ ...entry, id: expect.stringMatching(/^\d+$/) })),
    );
    expect(JSON.stringify(kept[1]?.data)).toBe(JSON.stringify(messages[1]?.data));
  });

  it('keeps many messages in order over several writes, and reads them page by page', async () => {
    const task = await running();
    for (let batch = 0; batch < 3; batch += 1) {
      const messages = Array.from({ length: 200 }, (_, index) => message(batch * 200 + index));
      await stores.attemptStore.appendLogs(fenceOf(task.id, 1), messages);
    }
    const read: unknown[] = [];
    let after = '0';
    for (;;) {
      const page = await logs(task, after, 250);
      if (page.length === 0) break;
      expect(page.length).toBeLessThanOrEqual(250);
      read.push(...page.map(({ data }) => data));
      after = page.at(-1)?.id ?? after;
    }
    expect(read).toEqual(Array.from({ length: 600 }, (_, index) => index));
  });

  it('reads neither other events nor messages of other tasks', async () => {
    const [task, other] = [await running(), await running()];
    await stores.attemptStore.appendLogs(fenceOf(task.id, 1), [message('mine')]);
    await stores.attemptStore.appendLogs(fenceOf(other.id, 1), [message('other')]);
    await stores.attemptStore.release(fenceOf(task.id, 1));
    expect(await dataOf(task)).toEqual(['mine']);
  });

  it('keeps the messages of earlier attempts, and refuses those of a stale one', async () => {
    const task = await running();
    const { attemptStore } = stores;
    await attemptStore.appendLogs(fenceOf(task.id, 1), [message('first')]);
    await loseLease(stores, task.id);
    await claimed(stores, task.id);
    expect(await attemptStore.appendLogs(fenceOf(task.id, 1), [message('late')])).toBe(false);
    expect(await attemptStore.appendLogs(fenceOf(task.id, 2), [message('second')])).toBe(true);
    await stores.taskStore.cancel(task.id, task.principalId);
    expect(await attemptStore.appendLogs(fenceOf(task.id, 2), [message('after the end')])).toBe(
      false,
    );
    expect(await dataOf(task)).toEqual(['first', 'second']);
  });

  it('says of nothing to keep whether the attempt still holds its task', async () => {
    const task = await running();
    expect(await stores.attemptStore.appendLogs(fenceOf(task.id, 1), [])).toBe(true);
    expect(await stores.attemptStore.appendLogs(fenceOf(task.id, 2), [])).toBe(false);
    expect(await logs(task)).toEqual([]);
  });

  it('waits for whoever has the task, so that nothing is kept of a task that goes', async () => {
    const task = await running();
    const unlock = await lockRow(stores, 'tasks', task.id);
    const kept = stores.attemptStore.appendLogs(fenceOf(task.id, 1), [message('x')]);
    await waitForLocked(stores, 1);
    await unlock();
    expect(await kept).toBe(true);
  });

  it('shows messages to the owner only, and not after the ttl', async () => {
    const task = await running({ listed: false });
    await stores.attemptStore.appendLogs(fenceOf(task.id, 1), [message('x')]);
    const { taskStore } = stores;
    expect(await dataOf(task)).toEqual(['x']);
    expect(await taskStore.logs(task.id, newPrincipalId(), '0', 10)).toEqual([]);
    expect(await taskStore.logs(newTaskId(), task.principalId, '0', 10)).toEqual([]);
    expect(await taskStore.logs('nonsense' as never, task.principalId, '0', 10)).toEqual([]);
    await alter(stores, task.id, 'expires_at = now()');
    expect(await logs(task)).toEqual([]);
  });

  it.each(['', '-1', '1.5', 'x', '1; --', '9223372036854775808'])(
    'refuses the cursor "%s" with INVALID_EVENT_ID',
    async (cursor) => {
      const task = await running();
      await expect(logs(task, cursor)).rejects.toMatchObject({ code: 'INVALID_EVENT_ID' });
    },
  );

  it('finds nothing after the last place there can be', async () => {
    const task = await running();
    await stores.attemptStore.appendLogs(fenceOf(task.id, 1), [message('x')]);
    expect(await logs(task, '9223372036854775807')).toEqual([]);
  });
});

describe('taking logs', () => {
  const log = async (task: NewTask, ...texts: string[]): Promise<void> => {
    const { attempt } = await running(task);
    await stores.attemptStore.appendLogs(
      fenceOf(task.id, attempt),
      texts.map((data) => ({ level: 'info', logger: 't', data })),
    );
  };
  const attempts = new Map<string, { attempt: number }>();
  const running = async (task: NewTask): Promise<{ attempt: number }> => {
    const known = attempts.get(task.id) ?? (await claimed(stores, task.id));
    attempts.set(task.id, known);
    return known;
  };
  const stream = randomUUID;
  const take = async (
    { id, principalId }: NewTask,
    to: string,
    { previous = null as string | null, after = '0', limit = 10, owner = principalId } = {},
  ) => stores.taskStore.takeLogs(id, owner, { stream: to, previous, after, limit });
  const texts = (messages: readonly { readonly data: unknown }[]) =>
    messages.map(({ data }) => data);

  it('gives each message to one stream, in order', async () => {
    const task = await accepted(stores);
    const [a, b] = [stream(), stream()];
    await log(task, '1', '2', '3');
    expect(texts(await take(task, a, { limit: 2 }))).toEqual(['1', '2']);
    await log(task, '4');
    expect(texts(await take(task, b))).toEqual(['3', '4']);
    expect(await take(task, a)).toEqual([]);
  });

  it('gives messages to one of many streams that come at once', async () => {
    const task = await accepted(stores);
    await log(task, '1', '2', '3');
    const taken = await Promise.all(Array.from({ length: 8 }, () => take(task, stream())));
    expect(texts(taken.flat())).toEqual(['1', '2', '3']);
  });

  it('gives again what the client has not seen on the stream it came back from', async () => {
    const task = await accepted(stores);
    const [broken, resumed] = [stream(), stream()];
    await log(task, '1', '2', '3');
    const [first] = await take(task, broken);
    await log(task, '4');
    const rest = { previous: broken, after: first?.id ?? '' };
    expect(texts(await take(task, resumed, { ...rest, limit: 2 }))).toEqual(['2', '3']);
    expect(texts(await take(task, resumed))).toEqual(['4']);
  });

  it('gives nothing again that a third stream has gone on from', async () => {
    const task = await accepted(stores);
    const [broken, third] = [stream(), stream()];
    await log(task, '1', '2');
    await take(task, broken);
    await log(task, '3');
    await take(task, third);
    expect(await take(task, stream(), { previous: broken })).toEqual([]);
  });

  it('gives nothing of foreign tasks, calls without a handle and expired tasks', async () => {
    const task = await accepted(stores);
    await log(task, '1');
    expect(await take(task, stream(), { owner: newPrincipalId() })).toEqual([]);
    const call = await accepted(stores, { listed: false });
    await log(call, '1');
    expect(await take(call, stream())).toEqual([]);
    await alter(stores, task.id, "expires_at = now() - interval '1 ms'");
    expect(await take(task, stream())).toEqual([]);
  });
});
