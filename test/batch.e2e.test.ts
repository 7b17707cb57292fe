import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { type Stack, startStack } from './support/stack.ts';

const TOOLS = path.join(import.meta.dirname, 'fixtures', 'batch-tools.js');

/** Runs of a worker at once. */
const PLACES = 2;

/** Items of a batch at most. */
const QUOTA = 10_000;

/** Numbers below `count` whose last digit is not 7, squared and summed. */
const sumOfSquares = (count: number): number =>
  Array.from({ length: count }, (_, n) => (n % 10 === 7 ? 0 : n * n)).reduce((a, b) => a + b, 0);

/** Maps over two workers that are killed, and the tool `batch`, in both eras. */
function batches(mode: Mode): void {
  let stack: Stack;
  let modern: ModernClient;
  let dir: string;
  let runs: string;

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-batch-'));
    runs = path.join(dir, 'runs');
    writeFileSync(runs, '');
    stack = await startStack({
      mode,
      workers: 2,
      environment: {
        PLUGINS: TOOLS,
        PLUGIN_DIRS: dir,
        RUNS: runs,
        MAX_BATCH_ITEMS: String(QUOTA),
        WORKER_CONCURRENCY: String(PLACES),
        SHUTDOWN_GRACE_MS: '0',
      },
    });
    modern = new ModernClient(stack.urls).withTasks({});
    await waitFor(
      async () => JSON.stringify(await modern.result('tools/list')).includes('squares_here'),
      { what: 'the catalogue is there' },
    );
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Which numbers ran, as often as they did. */
  const ran = (): number[] =>
    readFileSync(runs, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => Number(line.split(' ')[0]));
  const untilRan = (count: number) =>
    waitFor(() => ran().length >= count, { what: `${count} items have run`, timeoutMs: 30_000 });
  const ended = (taskId: string) =>
    waitFor(
      async () => {
        const task = await modern.result('tasks/get', { taskId });
        return task['status'] === 'working' ? undefined : task;
      },
      { what: 'the task has ended', timeoutMs: 60_000 },
    );

  it.each([
    ['squares', 2],
    ['squares_here', 1],
  ])(
    '%s goes on when workers are killed, and repeats what was under way',
    async (tool, atOnce) => {
      writeFileSync(runs, '');
      const count = 40;
      const taskId = await modern.startTask(tool, { count, ms: 130 });
      for (const through of [8, 24]) {
        await untilRan(through);
        await stack.workers.shift()?.kill('SIGKILL');
        await stack.startWorker();
      }
      expect(await ended(taskId)).toMatchObject({
        status: 'completed',
        result: {
          structuredContent: {
            total: count,
            done: count - 4,
            failed: 4,
            skipped: 0,
            sum: sumOfSquares(count),
          },
        },
      });
      const all = ran();
      expect(new Set(all).size).toBe(count);
      // Each item takes longer than the time between two saves, so of each run that was killed it is the one
      // item that was under way, or through and not saved yet.
      expect(all.length - count).toBeLessThanOrEqual(2 * PLACES * atOnce);
    },
    120_000,
  );

  it('runs failed items again when workers are killed, each to one outcome', async () => {
    const count = 200;
    const taskId = await modern.startTask('squares', { count, ms: 80 });
    await ended(taskId);
    writeFileSync(runs, '');
    const retryId = await modern.startTask('retry_failed', { task_id: taskId });
    for (const through of [3, 9]) {
      await untilRan(through);
      // All at once: who is left would end it meanwhile.
      await Promise.all(stack.workers.splice(0).map((worker) => worker.kill('SIGKILL')));
      const { status } = await modern.result('tasks/get', { taskId: retryId });
      expect(status).toBe('working');
      await Promise.all([stack.startWorker(), stack.startWorker()]);
    }
    const failed = Array.from({ length: count / 10 }, (_, ten) => ten * 10 + 7);
    expect(await ended(retryId)).toMatchObject({
      result: { structuredContent: { total: failed.length, done: 0, failed: failed.length } },
    });
    const uri = `longshore://tasks/${retryId}/items`;
    const { contents } = await modern.result('resources/read', { uri });
    const [{ text }] = contents as [{ text: string }];
    const items = JSON.parse(text) as { index: number; error: { message: string } }[];
    expect(items.map(({ index, error }) => [index, error.message])).toEqual(
      failed.map((n) => [n, `no square of ${n}`]),
    );
    expect(new Set(ran())).toEqual(new Set(failed));
  }, 120_000);

  it('cancels on all workers within a second', async () => {
    writeFileSync(runs, '');
    const taskId = await modern.startTask('squares', { count: 10_000, ms: 20 });
    await untilRan(10);
    await modern.result('tasks/cancel', { taskId });
    const at = performance.now();
    await waitFor(() => performance.now() - at > 1_000, { what: 'a second is over' });
    const then = ran().length;
    // Meanwhile some dozen items would have run.
    await ended(await modern.startTask('batch', { tool: 'square_one', items: [{ n: 1 }] }));
    expect(ran().length).toBe(then);
    expect(await modern.result('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
  });

  describe('the tool batch', () => {
    const items = [{ n: 3 }, { n: 'four' }, { n: 5 }, 6, { n: 2_000 }];
    const all = {
      total: 5,
      done: 2,
      failed: 3,
      skipped: 0,
      stopped: false,
      results: [
        { index: 0, ok: true, value: { square: 9 }, attempts: 1 },
        { index: 1, ok: false, error: { code: 'INVALID_ARGUMENTS' } },
        { index: 2, ok: true, value: { square: 25 }, attempts: 1 },
        { index: 3, ok: false, error: { code: 'INVALID_ARGUMENTS' } },
        { index: 4, ok: false, error: { code: 'INVALID_ARGUMENTS' } },
      ],
      not_shown: 0,
    };

    it('runs a tool over argument sets as a task of the modern era', async () => {
      const args = { tool: 'square_one', items, result_mode: 'all' };
      const task = await ended(await modern.startTask('batch', args));
      expect(task).toMatchObject({ status: 'completed', result: { structuredContent: all } });
    });

    it('does so in a plain call of the legacy era', async () => {
      const legacy = new WireClient(...stack.urls);
      await legacy.initialize();
      const args = { tool: 'square_one', items, result_mode: 'all' };
      const result = await legacy.result('tools/call', { name: 'batch', arguments: args });
      expect(result).toMatchObject({ structuredContent: all });
    });

    it('takes the argument sets from a file, with the types of the tool', async () => {
      writeFileSync(path.join(dir, 'numbers.csv'), 'n\n1\n2\nthree\n');
      const args = { tool: 'square_one', items_from: 'numbers.csv' };
      const task = await ended(await modern.startTask('batch', args));
      expect(task).toMatchObject({
        result: { structuredContent: { total: 3, done: 2, failed: 1, results: [{ index: 2 }] } },
      });
    });

    it.each([
      ['no item', [], []],
      ['one item', [{ n: 3 }], [9]],
      ['the same item again and again', [{ n: 2 }, { n: 2 }, { n: 2 }], [4, 4, 4]],
    ])('runs %s', async (_what, given, squares) => {
      const args = { tool: 'square_one', items: given, result_mode: 'all' };
      const { result } = await ended(await modern.startTask('batch', args));
      expect(result).toMatchObject({
        structuredContent: {
          total: given.length,
          done: given.length,
          failed: 0,
          results: squares.map((square, index) => ({ index, ok: true, value: { square } })),
        },
      });
    });

    it('stops reading a file at the quota, and says so', async () => {
      writeFileSync(path.join(dir, 'long.jsonl'), '{"n":1}\n'.repeat(QUOTA + 1));
      const args = { tool: 'square_one', items_from: 'long.jsonl' };
      const task = await ended(await modern.startTask('batch', args));
      expect(task).toMatchObject({ status: 'completed', result: { isError: true } });
      expect(JSON.stringify(task)).toContain(`more than ${QUOTA} items (MAX_BATCH_ITEMS)`);
    });

    it.each([
      ['an unknown tool', { tool: 'nowhere', items: [] }, 'Unknown tool: nowhere'],
      ['itself', { tool: 'batch', items: [] }, 'batch does not run itself'],
      ['no items', { tool: 'square_one' }, 'give either items or items_from'],
      [
        'more items than it may have',
        { tool: 'square_one', items: Array(QUOTA + 1).fill({ n: 1 }) },
        `the batch has ${QUOTA + 1} items, ${QUOTA} at most (MAX_BATCH_ITEMS)`,
      ],
      ['a file outside', { tool: 'square_one', items_from: '/etc/x.csv' }, '/etc/x.csv'],
    ])('refuses %s', async (_what, args, text) => {
      const task = await ended(await modern.startTask('batch', args));
      expect(task).toMatchObject({ result: { isError: true } });
      expect(JSON.stringify(task)).toContain(text);
    });
  });
}

describeInMode('batches', 'redis', batches);
