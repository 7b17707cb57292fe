import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Session, TaskId } from '@longshore/core';
import { defineItem, defineTool, z } from '@longshore/plugin';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { aborted } from './bench/doubles.ts';
import { accepted, type StartOptions, WorkerBench } from './bench/worker-bench.ts';

const input = z.looseObject({});
const double = defineItem({ name: 'double', input: z.number(), run: (n) => n * 2 });

const TOOLS = [
  defineTool({
    name: 'endless',
    description: 'Runs until it is stopped.',
    input,
    run: async (_input, ctx) => aborted(ctx.signal),
  }),
  defineTool({ name: 'short', description: 'Ends at once.', input, run: () => 'short' }),
  defineTool({
    name: 'maps',
    description: 'Maps in chunks, and calls another tool.',
    input,
    items: [double],
    run: async (_input, ctx) => {
      const { done } = (await ctx.map([1, 2, 3], double, { chunk: 1 })).summary();
      return `${done} items, ${JSON.stringify(await ctx.call('short', {}))}`;
    },
  }),
  defineTool({
    name: 'asks',
    description: 'Asks its client.',
    input,
    run: async (_input, ctx) => (await ctx.elicit(z.object({}), 'On?')).action,
  }),
];

const tests = (mode: Mode) => () => {
  let bench: WorkerBench;
  let other: Session;
  beforeEach(async () => {
    bench = await WorkerBench.open(mode);
    other = await bench.otherSession();
  });
  afterEach(() => bench.close());

  const start = (options: StartOptions = {}) =>
    bench.startWorker(TOOLS, { concurrency: 2, abortGraceMs: 50, ...options });

  /** Endless tasks of the first principal: in all seats, and twice as many in the queue. */
  async function flood(): Promise<{ running: TaskId[]; started: () => Promise<TaskId[]> }> {
    const ids: TaskId[] = [];
    for (let n = 0; n < 6; n += 1) ids.push(await bench.submit('endless'));
    const started = async (): Promise<TaskId[]> => {
      const events = await Promise.all(ids.map((id) => bench.events(id)));
      return ids.filter((_id, index) => events[index]?.includes('started'));
    };
    const running = await waitFor(
      async () => {
        const found = await started();
        return found.length === 2 && found;
      },
      { what: 'the first principal has all seats' },
    );
    return { running, started };
  }

  it('runs tasks of a principal, one after the other, whatever another one does', async () => {
    await start();
    const { running, started } = await flood();
    const ids = await Promise.all(
      ['short', 'short', 'maps'].map((tool) => bench.submit(tool, {}, { session: other })),
    );
    const third = await bench.submit('short', {}, { session: await bench.otherSession() });
    for (const id of [...ids.slice(0, 2), third]) expect(await bench.text(id)).toBe('short');
    expect(await bench.text(ids[2] as TaskId)).toBe('3 items, "short"');
    expect(await started()).toEqual(running);
  }, 60_000);

  it('starts nothing of a paused queue on a spare seat', async () => {
    await start();
    await flood();
    await bench.pause({ kind: 'queue', name: 'default' });
    const id = await bench.submit('short', {}, { session: other });
    await waitFor(
      async () => {
        const [row] = await bench.sql<{ isBack: boolean }>(
          'SELECT enqueued_at IS NULL OR finished_at IS NOT NULL AS "isBack" FROM tasks WHERE id = $1',
          [id],
        );
        return row?.isBack;
      },
      { what: 'the task waits for its turn' },
    );
    expect(await bench.events(id)).not.toContain('started');
  });

  it('gives who has asked a seat back, whatever another one does', async () => {
    await start();
    const asks = await bench.submit('asks', {}, { session: other });
    await bench.questions(asks, 'elicit-1');
    const { running, started } = await flood();
    await bench.answer(asks, { 'elicit-1': accepted({}) });
    expect(await bench.text(asks)).toBe('accept');
    expect(await started()).toEqual(running);
  }, 60_000);

  it('makes up for a spare seat with the next one that becomes free', async () => {
    await start();
    const { running, started } = await flood();
    const long = await bench.submit('endless', {}, { session: other });
    await waitFor(async () => (await bench.events(long)).includes('started'), {
      what: 'the other principal has the spare seat',
    });
    await bench.cancel(running[0] as TaskId);
    const third = await bench.submit('short', {}, { session: await bench.otherSession() });
    expect(await bench.text(third)).toBe('short');
    expect(await started()).toEqual(running);
  }, 60_000);
};

describeWithRedis('seats of a worker with Redis', tests('redis'));
describe('seats of a worker with Postgres only', tests('postgres'));
