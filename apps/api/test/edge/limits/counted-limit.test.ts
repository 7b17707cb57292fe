import { beforeEach, describe, expect, it } from '@jest/globals';
import { LongshoreError, type PrincipalId } from '@longshore/core';
import { CountedLimit } from '../../../src/edge/limits/counted-limit.ts';

const ADA = 'ada' as PrincipalId;
const BOB = 'bob' as PrincipalId;

/** The table: what was accepted and not begun. */
let rows: Map<PrincipalId, number>;
let counted: number;
let now: number;

const tasks = {
  countWaiting: async (owner: PrincipalId, limit: number): Promise<number> => {
    counted += 1;
    const found = rows.get(owner) ?? 0;
    await new Promise(setImmediate);
    return Math.min(found, limit);
  },
};

beforeEach(() => {
  rows = new Map();
  counted = 0;
  now = 1_000_000;
});

type WaitingTasks = CountedLimit<PrincipalId>;

const replica = (): WaitingTasks =>
  new CountedLimit({
    count: (owner, limit) => tasks.countWaiting(owner, limit),
    refusal: (_limit, retryAfterMs) =>
      new LongshoreError('TOO_MANY_TASKS', 'full', { details: { retryAfterMs } }),
    now: () => now,
  });

/** Accepts a task as the submitter does: room, then the row, which is there a little before we hear of it. */
async function accept(waiting: WaitingTasks, limit: number, owner = ADA): Promise<boolean> {
  try {
    const done = await waiting.take(owner, limit);
    await new Promise(setImmediate);
    rows.set(owner, (rows.get(owner) ?? 0) + 1);
    await new Promise(setImmediate);
    done();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'TOO_MANY_TASKS', details: { retryAfterMs: 1_000 } });
    return false;
  }
}

const many = async (waiting: WaitingTasks, calls: number, limit: number): Promise<number> => {
  const answers = await Promise.all(Array.from({ length: calls }, () => accept(waiting, limit)));
  return answers.filter(Boolean).length;
};

describe('one process', () => {
  it.each([1, 2, 3, 7, 50])(
    'keeps a limit of %i exactly, whatever comes at once',
    async (limit) => {
      const waiting = replica();
      expect(await many(waiting, limit + 20, limit)).toBe(limit);
      expect(rows.get(ADA)).toBe(limit);
      expect(await accept(waiting, limit, BOB)).toBe(true);
    },
  );

  it('keeps it one after the other as well', async () => {
    const waiting = replica();
    const answers = [];
    for (let call = 0; call < 8; call += 1) answers.push(await accept(waiting, 5));
    expect(answers).toEqual([true, true, true, true, true, false, false, false]);
  });

  it('counts once for many tasks when there is much room, and not for each refusal', async () => {
    const waiting = replica();
    expect(await many(waiting, 500, 100_000)).toBe(500);
    expect(counted).toBe(1);
    rows.set(BOB, 10);
    for (let call = 0; call < 50; call += 1) expect(await accept(waiting, 10, BOB)).toBe(false);
    expect(counted).toBe(2);
  });

  it('sees what others accepted after 5 s, and what was begun 1 s after a refusal', async () => {
    const waiting = replica();
    await accept(waiting, 100);
    rows.set(ADA, 100);
    expect(await accept(waiting, 100)).toBe(true);
    now += 5_000;
    expect(await accept(waiting, 100)).toBe(false);
    rows.set(ADA, 99);
    expect(await accept(waiting, 100)).toBe(false);
    now += 1_000;
    expect(await accept(waiting, 100)).toBe(true);
    expect(await accept(waiting, 100)).toBe(false);
  });

  it('asks again for a credential with another limit', async () => {
    const waiting = replica();
    expect(await many(waiting, 5, 2)).toBe(2);
    expect(await many(waiting, 5, 4)).toBe(2);
    expect(await accept(waiting, 2)).toBe(false);
  });

  it('asks nothing without a limit', async () => {
    expect(await many(replica(), 20, 0)).toBe(20);
    expect(counted).toBe(0);
  });

  it('passes on that the tasks can not be counted, and tries again', async () => {
    const { countWaiting } = tasks;
    const waiting = replica();
    tasks.countWaiting = () => Promise.reject(new Error('away'));
    await expect(waiting.take(ADA, 5)).rejects.toThrow('away');
    tasks.countWaiting = countWaiting;
    expect(await accept(waiting, 5)).toBe(true);
  });
});

it('lets several processes exceed the limit by what each was accepting, and then by nothing', async () => {
  const replicas = [replica(), replica()];
  const accepted = await Promise.all(replicas.map((waiting) => many(waiting, 100, 40)));
  const sum = accepted.reduce((total, count) => total + count, 0);
  expect(sum).toBeGreaterThanOrEqual(40);
  expect(sum).toBeLessThan(80);
  now += 5_000;
  for (const waiting of replicas) expect(await many(waiting, 10, 40)).toBe(0);
});
