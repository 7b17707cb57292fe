import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { LongshoreError, silentLogger } from '@longshore/core';
import { startEmbeddedPostgres } from '@longshore/embedded';
import { waitFor } from '@longshore/testing';
import { type Database, openDatabase } from '../src/index.ts';
import { migrate } from '../src/migrator/index.ts';
import { lockRow } from './fixtures/lock-row.ts';
import { accepted, newTask, newWorkerId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});

afterAll(async () => {
  await stores.drop();
});

const open = (url: string, changes = {}): Database =>
  openDatabase({ url, log: silentLogger, ...changes });

/** Every way in: grouped, single, transaction, Prisma's client. */
const waysIn = (database: Database): (() => Promise<unknown>)[] => [
  () => database.ping(),
  () => database.taskStore.accept(newTask()),
  () => database.maintenanceStore.deleteExpired(1),
  () => database.catalogueStore.retire(newWorkerId()),
  () => database.attemptStore.getCheckpoint(newTask().id, 'key'),
];

async function errorOf(call: () => Promise<unknown>): Promise<LongshoreError> {
  const error: unknown = await call().then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof LongshoreError) return error;
  throw new Error(`expected a LongshoreError, got ${inspect(error)}`, { cause: error });
}

it('says DATABASE_UNAVAILABLE, without the password, when nothing listens', async () => {
  const database = open('postgresql://user:s3cret@127.0.0.1:1/longshore');
  for (const call of waysIn(database)) {
    const error = await errorOf(call);
    expect(error).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
    expect(error.diagnosis).toContain('127.0.0.1:1/longshore');
    expect(error.message).toBe('The database did not answer. Try again.');
    expect(`${error.message} ${inspect(error, { depth: 9 })}`).not.toContain('s3cret');
  }
  await database.close();
});

it('says DATABASE_UNAVAILABLE, without the password, when the password is wrong', async () => {
  const url = new URL(stores.url);
  url.password = 's3cret';
  const database = open(url.href);
  for (const call of waysIn(database)) {
    const error = await errorOf(call);
    expect(error.code).toBe('DATABASE_UNAVAILABLE');
    expect(error.diagnosis).toMatch(/password authentication failed|Authentication failed/);
    expect(`${error.message} ${inspect(error, { depth: 9 })}`).not.toContain('s3cret');
  }
  await database.close();
});

it('refuses what is no URL, without showing it', () => {
  const error = (() => {
    try {
      return open('postgresql//user:s3cret@host');
    } catch (reason) {
      return reason;
    }
  })();
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(inspect(error)).not.toContain('s3cret');
});

/** Accepts connections and never says a word, like a host behind a broken firewall. */
async function startMute(): Promise<Server> {
  const mute = createServer((socket) => socket.on('error', () => {}));
  mute.listen(0, '127.0.0.1');
  await once(mute, 'listening');
  return mute;
}

it('gives up connecting to a server that does not answer', async () => {
  const mute = await startMute();
  const { port } = mute.address() as AddressInfo;
  const database = open(`postgresql://user:pw@127.0.0.1:${port}/x`, { connectTimeoutMs: 100 });
  for (const call of waysIn(database)) {
    expect((await errorOf(call)).code).toBe('DATABASE_UNAVAILABLE');
  }
  await database.close();
  mute.close();
});

it('gives up a statement that takes too long, and goes on working', async () => {
  const task = await accepted(stores);
  const impatient = open(stores.url, { statementTimeoutMs: 100 });
  const unlock = await lockRow(stores, 'tasks', task.id);
  const error = await errorOf(() => impatient.taskStore.cancel(task.id, task.principalId));
  expect(error).toMatchObject({ code: 'DATABASE_UNAVAILABLE', cause: { code: '57014' } });
  await unlock();
  expect((await impatient.taskStore.cancel(task.id, task.principalId)).kind).toBe('cancelled');
  await impatient.close();
});

it('gives up waiting for a free connection', async () => {
  const task = await accepted(stores);
  const narrow = open(stores.url, { poolSize: 1, connectTimeoutMs: 200 });
  await narrow.ping();
  const unlock = await lockRow(stores, 'tasks', task.id);
  const cancelling = narrow.taskStore.cancel(task.id, task.principalId);
  expect((await errorOf(() => narrow.ping())).code).toBe('DATABASE_UNAVAILABLE');
  await unlock();
  expect((await cancelling).kind).toBe('cancelled');
  await narrow.ping();
  await narrow.close();
});

it('survives that Postgres ends all its connections', async () => {
  const database = open(stores.url);
  await Promise.all(Array.from({ length: 8 }, () => database.ping()));
  await stores.sql(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'longshore'",
  );
  await waitFor(() => database.ping().then(() => true), { what: 'a new connection' });
  await database.close();
});

/** Forwards to a server whose port changes when it restarts. */
async function startProxy(portOf: () => number): Promise<Server> {
  const proxy = createServer((socket) => {
    const onward = connect(portOf(), '127.0.0.1');
    for (const end of [socket, onward]) end.on('error', () => {});
    socket.pipe(onward).pipe(socket);
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}

it('survives a restart of Postgres without losing a task', async () => {
  const dir = mkdtempSync(path.join(tmpdir(), 'longshore-restart-'));
  const start = () => startEmbeddedPostgres({ dir, settings: { fsync: 'off' } });
  let server = await start();
  const proxy = await startProxy(() => Number(new URL(server.url).port));
  const url = new URL(server.url);
  url.port = String((proxy.address() as AddressInfo).port);
  await migrate({ url: url.href });
  const database = open(url.href);
  const task = newTask();
  await database.taskStore.accept(task);
  await server.stop();
  for (const call of waysIn(database))
    expect((await errorOf(call)).code).toBe('DATABASE_UNAVAILABLE');
  server = await start();
  for (const call of waysIn(database)) await call();
  expect(await database.taskStore.find(task.id, task.principalId)).toMatchObject({ id: task.id });
  await database.close();
  await server.stop();
  proxy.close();
  rmSync(dir, { recursive: true });
}, 60_000);

it('answers SHUTTING_DOWN after close, which may be called twice', async () => {
  const database = open(stores.url);
  await database.ping();
  await Promise.all([database.close(), database.close()]);
  for (const call of waysIn(database).slice(0, 3)) {
    expect((await errorOf(call)).code).toBe('SHUTTING_DOWN');
  }
});

it('lets statements under way end before it closes', async () => {
  const database = open(stores.url);
  const task = newTask();
  const accepting = database.taskStore.accept(task).then(() => 'accepted');
  const [answer] = await Promise.all([
    accepting.catch((error: LongshoreError) => error.code),
    new Promise((resolve) => setImmediate(resolve)).then(() => database.close()),
  ]);
  const found = await stores.taskStore.find(task.id, task.principalId);
  expect([answer, found === null]).toEqual(['accepted', false]);
});

it('says what to do when the tables are missing', async () => {
  const url = new URL(stores.url);
  url.pathname = '/postgres';
  const database = open(url.href);
  const error = await errorOf(() => database.maintenanceStore.queuesWithBacklog());
  expect(error.code).toBe('INTERNAL');
  expect(error.diagnosis).toContain('Run the migrations');
  await database.close();
});
