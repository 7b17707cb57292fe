import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { waitFor } from '@longshore/testing';
import { openDatabase } from '../src/index.ts';
import { asking, question, reply } from './fixtures/question-factory.ts';
import {
  accepted,
  claimed,
  LEASE_MS,
  newPrincipalId,
  newTask,
  newWorkerId,
  RESULT,
} from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

const PROCESSES = 4;
const ROUNDS = 5;

let stores: TestStores;

beforeEach(async () => {
  stores = await openTestStores();
});

afterEach(async () => {
  await stores.drop();
});

it('gets heartbeats, claims, finishes and sweeps over the same tasks through without a deadlock', async () => {
  const tasks = await Promise.all(Array.from({ length: 200 }, () => accepted(stores)));
  const workerId = newWorkerId();
  await Promise.all(tasks.map(({ id }) => claimed(stores, id, workerId)));
  const shuffled = () => tasks.toSorted(() => Math.random() - 0.5).map(({ id }) => id);
  const end = { attempt: 1, outcome: RESULT, progress: null, statusMessage: null };
  const processes = Array.from({ length: PROCESSES }, async () => {
    const database = openDatabase({ url: stores.url, log: silentLogger });
    const { attemptStore, maintenanceStore } = database;
    const beat = () =>
      attemptStore.heartbeat(
        workerId,
        LEASE_MS,
        shuffled().map((taskId) => ({ taskId, attempt: 1, progress: null, statusMessage: 'on' })),
      );
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all([
        beat(),
        beat(),
        ...shuffled().map((id) => attemptStore.claim(id, workerId, LEASE_MS)),
        ...shuffled()
          .slice(0, 10)
          .map((taskId) => attemptStore.finish({ taskId, ...end })),
        maintenanceStore.unadmit(shuffled()),
        maintenanceStore.readmit(0, 100),
        maintenanceStore.failOverdue(3, 100),
      ]);
    }
    await database.close();
  });
  await Promise.all(processes);
  const doubles = await stores.sql(
    "SELECT task_id FROM task_events WHERE kind = 'finished' GROUP BY task_id HAVING count(*) > 1",
  );
  expect(doubles).toEqual([]);
  expect(await countDeadlocks()).toBe(0);
});

it('gets calls with the same idempotency keys through without a deadlock', async () => {
  const principalId = newPrincipalId();
  const keys = Array.from({ length: 200 }, (_, index) => `k${index}`);
  const processes = Array.from({ length: PROCESSES }, async () => {
    const database = openDatabase({ url: stores.url, log: silentLogger });
    for (let round = 0; round < ROUNDS; round += 1) {
      await Promise.all(
        keys
          .toSorted(() => Math.random() - 0.5)
          .map((key) => {
            const idempotency = { key: `${key}-${round}`, argumentsHash: '' };
            return database.taskStore.accept(newTask({ principalId, idempotency }));
          }),
      );
    }
    await database.close();
  });
  await Promise.all(processes);
  const rows = await stores.sql('SELECT FROM tasks WHERE principal_id = $1', [principalId]);
  expect(rows).toHaveLength(keys.length * ROUNDS);
  expect(await countDeadlocks()).toBe(0);
});

it('gets questions, answers and leases over the same rows through without a deadlock', async () => {
  // Asked in the reverse order of their keys, so that each index has an order of its own.
  const keys = Array.from({ length: 60 }, (_, index) => `q${100 - index}`);
  const { task } = await asking(stores, keys);
  const shuffled = () => keys.toSorted(() => Math.random() - 0.5);
  const processes = Array.from({ length: PROCESSES }, async () => {
    const database = openDatabase({ url: stores.url, log: silentLogger });
    const { attemptStore, inputStore } = database;
    const { id, principalId } = task;
    for (let round = 0; round < ROUNDS; round += 1) {
      const [stream, other] = [randomUUID(), randomUUID()];
      // A lease that has run out at once is there for everybody.
      const lease = (streamId: string) => inputStore.lease(id, principalId, streamId, -1);
      await Promise.all([
        ...[stream, other, stream, other].map(lease),
        inputStore.unlease(stream),
        inputStore.unlease(other),
        attemptStore.ask(
          id,
          1,
          shuffled().map((key) => question(key)),
        ),
        attemptStore.timeOutInputs(id, 1, shuffled().slice(0, 1)),
        inputStore.answer(
          id,
          principalId,
          new Map(
            shuffled()
              .slice(0, 2)
              .map((key) => [key, reply('x')]),
          ),
        ),
      ]);
    }
    await database.close();
  });
  await Promise.all(processes);
  expect((await stores.attemptStore.readAnswers(task.id, keys)).size).toBeGreaterThan(0);
  expect(await countDeadlocks()).toBe(0);
});

/** Deadlocks are tried again, so they would pass unseen. Backends hand in their counts when they end. */
async function countDeadlocks(): Promise<number> {
  await stores.close();
  const backends = async () =>
    stores.sql(
      "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'longshore'",
    );
  await waitFor(async () => (await backends()).length === 0, { what: 'the backends to end' });
  const [row] = await stores.sql<{ deadlocks: string }>(
    'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
  );
  return Number(row?.deadlocks);
}
