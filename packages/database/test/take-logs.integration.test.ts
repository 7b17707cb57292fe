import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NewTask } from '@longshore/core';
import { accepted, alter, claimed, newPrincipalId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

const log = async (task: NewTask, ...texts: string[]): Promise<void> => {
  const { attempt } = await running(task);
  await stores.attemptStore.appendLogs(
    task.id,
    attempt,
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
const texts = (messages: readonly { readonly data: unknown }[]) => messages.map(({ data }) => data);

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
