import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { MODERN_TOOLS } from './support/modern-stack.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const FIXTURES = path.join(import.meta.dirname, 'fixtures');
const HOUR_MS = 3_600_000;

/** The environment of a process whose clock differs by that much from the database's. */
const shifted = (shiftMs: number): Record<string, string> => ({
  NODE_OPTIONS: `--import ${pathToFileURL(path.join(FIXTURES, 'shifted-clock.js')).href}`,
  CLOCK_SHIFT_MS: String(shiftMs),
});

/** Two APIs and two workers, one of each an hour ahead of the database, one an hour behind. */
function clockSkew(mode: Mode): void {
  let stack: Stack;
  let client: ModernClient;
  let legacy: WireClient;

  beforeAll(async () => {
    const tools = [FIXTURE_TOOLS, MODERN_TOOLS, path.join(FIXTURES, 'timed-tools.js')];
    stack = await startStack({
      mode,
      apis: 0,
      workers: 0,
      environment: {
        PLUGINS: tools.join(','),
        LEASE_MS: '2000',
      },
    });
    for (const shiftMs of [HOUR_MS, -HOUR_MS]) {
      await stack.startWorker(shifted(shiftMs));
      await stack.startApi(shifted(shiftMs));
    }
    client = new ModernClient(stack.urls, { elicitation: { form: {} } });
    legacy = new WireClient(...stack.urls);
    await legacy.initialize();
    for (const replica of [0, 1]) {
      await waitFor(
        async () =>
          JSON.stringify(await client.result('tools/list', {}, { replica })).includes('hurried'),
        { what: 'the catalogue is there' },
      );
    }
  });
  afterAll(() => stack.stop());

  const ended = (taskId: string) =>
    waitFor(
      async () => {
        const task = await client.withTasks().result('tasks/get', { taskId });
        return task['status'] === 'working' ? null : task;
      },
      { what: `task ${taskId} has ended`, timeoutMs: 30_000 },
    );

  it('leaves deadlines as long as they are, on every worker', async () => {
    const shifts = new Set<number>();
    await waitFor(
      async () => {
        const result = await client.result('tools/call', { name: 'hurried', arguments: {} });
        const { leftMs, nowMs } = result['structuredContent'] as { leftMs: number; nowMs: number };
        expect(leftMs).toBeGreaterThan(300_000);
        expect(leftMs).toBeLessThan(600_000);
        shifts.add(Math.sign(nowMs - Date.now()));
        return shifts.size === 2;
      },
      { what: 'both workers have run it' },
    );
    const late = Array.from({ length: 4 }, () => client.withTasks().startTask('late'));
    for (const taskId of await Promise.all(late)) {
      expect(await ended(taskId)).toMatchObject({
        status: 'failed',
        error: { message: expect.stringContaining('deadline') },
      });
    }
  });

  it('leaves retries their pauses and their number', async () => {
    const ids = await Promise.all(
      Array.from({ length: 6 }, () => client.withTasks().startTask('flaky', { failures: 2 })),
    );
    for (const id of ids) {
      expect(await ended(id)).toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'done in attempt 3' }] },
      });
    }
  });

  it('leaves a ttl as long as it is', async () => {
    const startTask = async (ttl: number, replica: number): Promise<string> => {
      const call = { name: 'echo', arguments: { text: 'x' }, task: { ttl } };
      const { task } = (await legacy.result('tools/call', call, { replica })) as {
        task: { taskId: string };
      };
      return task.taskId;
    };
    const [short, long] = await Promise.all([
      Promise.all([startTask(1_500, 0), startTask(1_500, 1)]),
      Promise.all([startTask(60_000, 0), startTask(60_000, 1)]),
    ]);
    for (const taskId of short) {
      await waitFor(
        async () => (await legacy.request('tasks/get', { taskId })).last.error !== undefined,
        { what: 'its ttl is over' },
      );
    }
    for (const [replica, taskId] of long.entries()) {
      // Also at the other replica, whose sweeper has just looked.
      expect(await legacy.result('tasks/get', { taskId }, { replica: 1 - replica })).toMatchObject({
        status: 'completed',
      });
    }
  });

  it.each([
    [0, 1],
    [1, 0],
  ])('lets replica %i ask and replica %i take the answer', async (asks, takes) => {
    const call = { name: 'ask_name', arguments: {} };
    const asked = await client.result('tools/call', call, { replica: asks });
    const answer = {
      ...call,
      requestState: asked['requestState'],
      inputResponses: { user_name: { action: 'accept', content: { name: 'Ada' } } },
    };
    expect(await client.result('tools/call', answer, { replica: takes })).toMatchObject({
      content: [{ text: 'Hello, Ada!' }],
    });
  });

  // Without Redis the leases of jobs are kept by the workers' clocks (docs/deployment.md).
  if (mode === 'redis') {
    it('lets a worker take over from one that dies, and no sooner', async () => {
      const ids = await Promise.all(
        Array.from({ length: 4 }, () =>
          client.withTasks().startTask('steps', { steps: 20, stepMs: 300 }),
        ),
      );
      const runs = (worker: number, id: string): boolean =>
        stack.workers[worker]?.lines.some((line) => line.includes(id)) === true;
      await waitFor(() => ids.every((id) => runs(0, id) || runs(1, id)), { what: 'all run' });
      const lost = ids.filter((id) => runs(0, id));
      await stack.workers[0]?.kill('SIGKILL');
      for (const id of ids) {
        expect(await ended(id)).toMatchObject({
          status: 'completed',
          result: {
            structuredContent: { attempt: lost.includes(id) ? 2 : 1, pid: stack.workers[1]?.pid },
          },
        });
      }
    });
  }
}

describeWithRedis('clocks that differ by hours, with Redis', () => clockSkew('redis'));
describe('clocks that differ by hours, with Postgres only', () => clockSkew('postgres'));
