import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { connectClientV2 } from './support/client-v2.ts';
import { type InteropStack, startInteropStack, untilCatalogued } from './support/interop-stack.ts';
import { connectSdkV1 } from './support/sdk-v1-client.ts';

/** Some tenths of a second, with progress on the way. */
const WORK = { steps: 5, stepMs: 100 };

/** One caller's calls, one after the other, until it is told to stop. */
interface Load {
  /** Waits for the call under way, and rethrows what went wrong. */
  stop(): Promise<void>;
  readonly counts: { done: number; refused: number };
}

/** A request that a stopping server did not accept, and said so: the caller sends it again. */
function isRefusal(error: unknown): boolean {
  return /SHUTTING_DOWN|This server is stopping|HTTP 503|\b503\b/.test(String(error));
}

function startLoad(call: () => Promise<unknown>, close: () => Promise<void>): Load {
  const counts = { done: 0, refused: 0 };
  let stopped = false;
  const run = async (): Promise<void> => {
    while (!stopped) {
      try {
        expect(await call()).toMatchObject({
          structuredContent: { attempt: expect.any(Number), pid: expect.any(Number) },
        });
        counts.done += 1;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        counts.refused += 1;
        await sleep(100);
      }
    }
    await close();
  };
  const done = run();
  // Told by `stop`.
  done.catch(() => {});
  return {
    counts,
    stop: () => {
      stopped = true;
      return done;
    },
  };
}

describeWithRedis('a rolling restart', () => {
  let interop: InteropStack;

  beforeAll(async () => {
    interop = await startInteropStack({
      mode: 'redis',
      workers: 2,
      environment: { SHUTDOWN_GRACE_MS: '4000' },
    });
  });
  afterAll(() => interop.stop());

  /** Unmodified clients of both eras, who call in every way there is. */
  const startCallers = async (): Promise<Load[]> => {
    const { url } = interop;
    const call = { name: 'steps', arguments: WORK };
    const held = async (): Promise<Load> => {
      const { client } = await connectSdkV1(url);
      const run = () => client.callTool(call, CallToolResultSchema, { onprogress: () => {} });
      return startLoad(run, () => client.close());
    };
    const asTask = async (): Promise<Load> => {
      const { client } = await connectSdkV1(url);
      const run = async (): Promise<unknown> => {
        const stream = client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
          task: { ttl: 600_000 },
        });
        for await (const message of stream) {
          if (message.type === 'error') throw message.error;
          if (message.type === 'result') return message.result;
        }
        throw new Error('the stream ended without a result');
      };
      return startLoad(run, () => client.close());
    };
    const modern = async (): Promise<Load> => {
      const { client } = await connectClientV2(url, { pin: '2026-07-28' });
      return startLoad(
        () => client.callTool(call, { onprogress: () => {} }),
        () => client.close(),
      );
    };
    const modernTask = async (): Promise<Load> => {
      const client = new ModernClient([url.href]).withTasks();
      const run = async (): Promise<unknown> => {
        const taskId = await client.startTask('steps', WORK);
        for (;;) {
          const task = await client.result('tasks/get', { taskId }).catch((error: unknown) => {
            // The task is there: it is only asked for again.
            if (isRefusal(error)) return { status: 'working', result: null };
            throw error;
          });
          if (task['status'] === 'completed') return task['result'];
          if (task['status'] !== 'working') throw new Error(JSON.stringify(task));
          await sleep(50);
        }
      };
      return startLoad(run, () => Promise.resolve());
    };
    return Promise.all([held(), held(), asTask(), asTask(), modern(), modern(), modernTask()]);
  };

  /** When each caller has had that many more answers. */
  const untilServed = async (callers: readonly Load[], more: number): Promise<void> => {
    const goals = callers.map(({ counts }) => counts.done + more);
    await waitFor(() => callers.every(({ counts }, index) => counts.done >= (goals[index] ?? 0)), {
      what: `every caller got ${more} more answers`,
      timeoutMs: 30_000,
    });
  };

  it('lets a call finish that no other API can go on with', async () => {
    const url = await interop.stack.startApi();
    interop.stack.urls.pop();
    const api = interop.stack.apis.pop();
    await untilCatalogued(url);
    const client = new ModernClient([url]);
    const call = { name: 'steps', arguments: { steps: 8, stepMs: 150 } };
    const stream = await client.open('tools/call', call, { meta: { progressToken: 'mine' } });
    await waitFor(() => stream.messages.length > 0, { what: 'it runs' });
    const exit = await api?.kill('SIGTERM');
    await stream.ended;
    expect(stream.messages.at(-1)?.result).toMatchObject({ structuredContent: { attempt: 1 } });
    expect(exit).toEqual({ code: 0, signal: null });
  });

  it('of all APIs and workers under load costs no client an answer', async () => {
    const { stack, proxy } = interop;
    const callers = await startCallers();
    await untilServed(callers, 1);
    for (const old of [0, 1]) {
      const fresh = await stack.startApi();
      await untilCatalogued(fresh);
      // As a load balancer does: first no new requests, then the signal.
      proxy.retarget([...stack.urls.slice(old + 1)]);
      const exit = await stack.apis[old]?.kill('SIGTERM');
      expect(exit).toEqual({ code: 0, signal: null });
      await untilServed(callers, 1);
    }
    for (const old of [0, 1]) {
      await stack.startWorker();
      const exit = await stack.workers[old]?.kill('SIGTERM');
      expect(exit).toEqual({ code: 0, signal: null });
      await untilServed(callers, 1);
    }
    await Promise.all(callers.map((caller) => caller.stop()));
    const sum = (of: 'done' | 'refused') =>
      callers.reduce((total, { counts }) => total + counts[of], 0);
    process.stdout.write(`rolling restart: ${sum('done')} answers, ${sum('refused')} refused\n`);
    // Only what was on its way to the proxy's old target can have been refused.
    expect(sum('refused')).toBeLessThanOrEqual(2 * callers.length);
  }, 150_000);
});
