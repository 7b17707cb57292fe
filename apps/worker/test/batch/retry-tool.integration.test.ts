import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type JsonObject, RETRY_TOOL, type TaskId } from '@longshore/core';
import { defineItem, defineTool, type MapOptions, z } from '@longshore/plugin';
import { describeInMode, type Mode } from '@longshore/testing';
import { ToolLookup } from '../../src/batch/tool-lookup.ts';
import { batchTool } from '../../src/batch-tool/batch-tool.ts';
import { retryTool } from '../../src/batch-tool/retry-tool.ts';
import { WorkerBench } from '../bench/worker-bench.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Numbers that fail. */
const bad = new Set<number>();
const ran: number[] = [];

function square(n: number): number {
  ran.push(n);
  if (bad.has(n)) throw new Error(`no square of ${n}`);
  return n * n;
}

const squareOne = defineTool({
  name: 'square',
  description: 'Squares.',
  input: z.object({ n: z.int() }),
  output: z.object({ square: z.int() }),
  run: ({ n }) => ({ square: square(n) }),
});

const squareItem = defineItem({
  name: 'square_item',
  input: z.number(),
  run: (n, { index }) => ({ n, index, square: square(n) }),
});

/** Maps over the numbers below `count`, as often as there are keys. */
const mapping = defineTool({
  name: 'mapping',
  description: 'Maps.',
  input: z.object({ count: z.int(), keys: z.array(z.string()), here: z.boolean().default(false) }),
  items: [squareItem],
  run: async ({ count, keys, here }, ctx) => {
    for (const key of keys) {
      const options: MapOptions = { key, chunk: 3 };
      if (here) await ctx.map(numbers(count), square, options);
      else await ctx.map(numbers(count), squareItem, options);
    }
    return 'mapped';
  },
});

const tests = (mode: Mode): void => {
  let bench: WorkerBench;
  beforeEach(async () => {
    ran.length = 0;
    bad.clear();
    bench = await WorkerBench.open(mode);
    const lookup = new ToolLookup(bench.database.catalogueStore);
    const options = {
      host: { directories: [], dataDir: '' },
      records: bench.database.itemRecords,
      findTool: (name: string) => lookup.find(name),
    };
    await bench.startWorker([squareOne, mapping, batchTool(options), retryTool(options)]);
  });
  afterEach(async () => {
    await bench.close();
  });

  const end = async (id: TaskId): Promise<JsonObject> => {
    const { outcome } = await bench.outcome(id);
    if (outcome?.kind !== 'result') throw new Error(JSON.stringify(outcome));
    return outcome.result;
  };
  const call = async (
    name: string,
    args: JsonObject,
  ): Promise<{ id: TaskId; result: JsonObject; structured: JsonObject }> => {
    const id = await bench.submit(name, args);
    const result = await end(id);
    return { id, result, structured: result['structuredContent'] as JsonObject };
  };
  const items = (count: number) => numbers(count).map((n) => ({ n }));

  it('runs what failed again, as a task of its own with the indexes of the first', async () => {
    for (const n of [3, 50, 51, 199]) bad.add(n);
    const first = await call('batch', { tool: 'square', items: items(200) });
    expect(first.structured).toMatchObject({ total: 200, failed: 4, not_shown: 0 });
    expect(first.structured).not.toHaveProperty('items_uri');
    ran.length = 0;
    bad.delete(50);
    bad.delete(51);
    bad.delete(199);
    const again = await call(RETRY_TOOL, { task_id: first.id, result_mode: 'all' });
    expect(ran.toSorted((a, b) => a - b)).toEqual([3, 50, 51, 199]);
    expect(again.structured).toMatchObject({
      retry_of: first.id,
      total: 4,
      done: 3,
      failed: 1,
      results: [
        { index: 3, ok: false },
        { index: 50, ok: true, value: { square: 2_500 } },
        { index: 51, ok: true },
        { index: 199, ok: true },
      ],
    });
    bad.clear();
    ran.length = 0;
    const third = await call(RETRY_TOOL, { task_id: again.id, result_mode: 'all' });
    expect(ran).toEqual([3]);
    expect(third.structured).toMatchObject({
      retry_of: again.id,
      results: [{ index: 3, ok: true, value: { square: 9 } }],
    });
    // Each keeps what came of it.
    const { batches = [] } =
      (await bench.database.itemRecords.batchTask(first.id, bench.session.principalId)) ?? {};
    expect(batches).toMatchObject([{ key: 'items', items: 200, sealed: true }]);
  });

  it('runs what was stopped, and what was never read, when it is asked to', async () => {
    for (const n of numbers(300)) bad.add(n);
    const args = { tool: 'square', items: items(300), stop_after_failures: 5, concurrency: 1 };
    const first = await call('batch', args);
    expect(first.structured).toMatchObject({ total: 300, stopped: true });
    const failed = Number(first.structured['failed']);
    bad.clear();
    bad.add(290);
    ran.length = 0;
    const some = await call(RETRY_TOOL, { task_id: first.id });
    expect(some.structured).toMatchObject({ total: failed, failed: 0 });
    ran.length = 0;
    for (const n of numbers(300)) bad.add(n);
    const stopped = await call(RETRY_TOOL, {
      task_id: first.id,
      include_skipped: true,
      stop_after_failures: 2,
      concurrency: 1,
    });
    expect(stopped.structured).toMatchObject({ stopped: true });
    // That was stopped as well: what it left is found behind what the first one left.
    bad.clear();
    bad.add(290);
    ran.length = 0;
    const rest = await call(RETRY_TOOL, { task_id: stopped.id, include_skipped: true });
    expect(ran.toSorted((a, b) => a - b)).toEqual(
      numbers(300).slice(300 - Number(rest.structured['total'])),
    );
    expect(rest.structured).toMatchObject({ failed: 1, results: [{ index: 290 }] });
    expect(Number(rest.structured['total'])).toBeGreaterThan(290);
  });

  it('runs item functions of other tools again, by the key of their batch', async () => {
    bad.add(7);
    const { id } = await call('mapping', { count: 10, keys: ['a', 'b'] });
    expect((await call(RETRY_TOOL, { task_id: id })).result).toMatchObject({
      isError: true,
      content: [{ text: `Task ${id} has several batches, say which in key: 'a', 'b'` }],
    });
    bad.clear();
    const { structured } = await call(RETRY_TOOL, { task_id: id, key: 'b', result_mode: 'all' });
    expect(structured).toMatchObject({
      results: [{ index: 7, ok: true, value: { n: 7, index: 7, square: 49 } }],
    });
  });

  it('says where the rest is when it does not show all', async () => {
    for (const n of numbers(2_000)) bad.add(n);
    const first = await call('batch', { tool: 'square', items: items(2_000) });
    expect(first.structured).toMatchObject({
      items_uri: `longshore://tasks/${first.id}/items?status=failed`,
    });
    const again = await call(RETRY_TOOL, { task_id: first.id });
    expect(again.structured).toMatchObject({
      failed: 2_000,
      items_uri: `longshore://tasks/${again.id}/items?status=failed`,
    });
    expect(Number(again.structured['not_shown'])).toBeGreaterThan(0);
  });

  describe('refuses', () => {
    const refusal = async (args: JsonObject): Promise<string> => {
      const { result } = await call(RETRY_TOOL, args);
      expect(result['isError']).toBe(true);
      return JSON.stringify(result['content']);
    };

    it('what there is not, what goes on, and what has nothing to run', async () => {
      const unknown = '00000000-0000-4000-8000-000000000000';
      expect(await refusal({ task_id: unknown })).toContain(`There is no task ${unknown}`);
      const clean = await call('batch', { tool: 'square', items: items(3) });
      expect(await refusal({ task_id: clean.id })).toContain('has no failed items');
      expect(await refusal({ task_id: clean.id, include_skipped: true })).toContain(
        'has no item that failed or was not run',
      );
      expect(await refusal({ task_id: clean.id, key: 'x' })).toContain("has no batch 'x' but");
      const empty = await call('batch', { tool: 'square', items: [] });
      expect(await refusal({ task_id: empty.id })).toContain('has no items');
      const plain = await call('square', { n: 1 });
      expect(await refusal({ task_id: plain.id })).toContain('has no batch');
      bad.add(1);
      const here = await call('mapping', { count: 3, keys: ['k'], here: true });
      expect(await refusal({ task_id: here.id })).toContain('ran a function in place');
      const open = await bench.submit('nobody has it', {}, { queue: 'elsewhere' });
      expect(await refusal({ task_id: open })).toContain('has not ended');
    });

    it('to be run by batch', async () => {
      const { result } = await call('batch', { tool: RETRY_TOOL, items: [] });
      expect(JSON.stringify(result)).toContain(`batch does not run ${RETRY_TOOL}`);
    });
  });
};

describeInMode('retry_failed over BullMQ', 'redis', tests);
