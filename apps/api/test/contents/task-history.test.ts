import { expect, it } from '@jest/globals';
import type { TaskHistory } from '@longshore/core';
import { TaskHistories } from '../../src/contents/task-history.ts';
import { FakeRows } from '../watch/fake-rows.ts';

const LEASE_MS = 20_000;

/** What a task that a worker has had waits for, while another worker lives. */
async function waitsFor(leaseLeftMs: number | null, isHeld: boolean): Promise<unknown> {
  const rows = new FakeRows();
  const id = rows.add({ isHeld });
  const task = await rows.store.find(id, rows.owner);
  if (task === null) throw new Error('the row is gone');
  const history: TaskHistory = {
    task,
    arguments: {},
    attempt: 1,
    maxAttempts: 3,
    lost: 0,
    lostBelow: 0,
    isLost: leaseLeftMs !== null && leaseLeftMs <= 0,
    leaseLeftMs,
    runAfter: null,
    events: [],
  };
  const histories = new TaskHistories({
    tasks: { history: async () => history },
    catalogue: { presence: async () => ({ workers: 1, offering: 1 }) },
    leaseMs: LEASE_MS,
  });
  return (await histories.find(id, rows.owner))?.['waits_for'];
}

it.each<[string, number | null, boolean, string | undefined]>([
  ['a worker that reports', 0.75 * LEASE_MS, true, undefined],
  ['one that has missed a report', 0.6 * LEASE_MS, true, 'a worker that is silent: others'],
  ['one of its chunks that has', 0.1 * LEASE_MS, false, 'a worker that is silent: others'],
  ['a worker whose lease is over', -1, false, 'another worker: the one that had it was lost'],
  ['nobody', null, false, 'a free worker'],
])('of %s a task says what it waits for', async (_what, leaseLeftMs, isHeld, words) => {
  const said = await waitsFor(leaseLeftMs, isHeld);
  expect(said).toEqual(words === undefined ? undefined : expect.stringContaining(words));
});
