import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeWithRedis, waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import type { SpawnedProcess } from '@longshore/testing/processes';
import { parseExposition, sumOf } from './support/exposition.ts';
import { httpRequest, IdleSockets } from './support/idle-sockets.ts';
import { startNeighbour } from './support/neighbour.ts';
import { openTasks } from './support/open-tasks.ts';
import { mebibytes, openHandles, residentBytes } from './support/process-usage.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

/*
 * What careless and hostile clients and tools do to the memory of our processes, and to everybody else. The
 * bounds are several times what was measured (docs/deployment.md), and far below what keeping everything
 * would take.
 */

const MIB = 1_048_576;
const FLOODING_TOOLS = path.join(import.meta.dirname, 'fixtures', 'flooding-tools.js');

describeWithRedis('under pressure', () => {
  let stack: Stack;
  let client: ModernClient;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'redis',
      environment: {
        PLUGINS: `${FIXTURE_TOOLS},${FLOODING_TOOLS}`,
        LOG_LEVEL: 'info',
        MAX_OPEN_STREAMS: '10000',
        RATE_LIMIT_PER_MINUTE: '0',
        // Large answers go out whole.
        RESULT_INLINE_BYTES: '16777216',
        // Clients that read nothing are cut after 4 s.
        KEEP_ALIVE_MS: '1000',
        LEASE_MS: '5000',
      },
    });
    client = new ModernClient(stack.urls);
    await waitFor(async () => JSON.stringify(await client.result('tools/list')).includes('flood'), {
      what: 'the catalogue is there',
    });
  });
  afterAll(() => stack.stop(), 120_000);

  const api = (): SpawnedProcess => first(stack.apis);
  const url = (): string => first(stack.urls);
  const openStreams = async (): Promise<number> => {
    const metrics = await fetch(new URL('/metrics', url()));
    return sumOf([parseExposition(await metrics.text())], 'longshore_open_streams');
  };
  const echo = async (): Promise<void> => {
    const result = await client.result('tools/call', { name: 'echo', arguments: { text: 'me' } });
    expect(result['structuredContent']).toEqual({ text: 'me' });
  };
  /** While `work` runs, somebody else's calls are answered. @returns by how much `app` grew at most */
  const growthDuring = async (app: SpawnedProcess, work: () => Promise<void>): Promise<number> => {
    for (let call = 0; call < 20; call += 1) await echo();
    const before = residentBytes(app.pid);
    let highest = before;
    const sampler = setInterval(() => (highest = Math.max(highest, residentBytes(app.pid))), 50);
    const neighbour = startNeighbour(echo);
    try {
      await work();
    } finally {
      clearInterval(sampler);
      expect(await neighbour.stop()).toBeGreaterThan(1);
    }
    return Math.max(highest, residentBytes(app.pid)) - before;
  };

  // First, of fresh processes: memory that others have left is given back at any time, and what takes it again looks like growth.
  it('10,000 requests whose clients are gone at once leave nothing behind', async () => {
    const requests = 10_000;
    const handlesBefore = openHandles(api().pid);
    const drops = Array.from({ length: requests }, (_, n) => n);
    const growth = await growthDuring(api(), () =>
      inParallel(50, drops, async (n) => {
        const { body, headers } = client.build('tools/call', {
          name: n % 4 === 3 ? 'hang' : 'echo',
          arguments: n % 4 === 3 ? {} : { text: 'gone' },
        });
        const request = httpRequest('POST', headers, body);
        await openAndDrop(url(), n % 3 === 0 ? request.slice(0, -20) : request);
      }),
    );
    process.stdout.write(`${requests} dropped requests: ${mebibytes(growth)} MiB\n`);
    expect(growth).toBeLessThan(256 * MIB);
    await waitFor(async () => (await openTasks(stack)) === 0, {
      what: 'nothing of them runs any more',
      timeoutMs: 60_000,
    });
    await waitFor(() => openHandles(api().pid) <= handlesBefore + 20, {
      what: 'the connections are gone',
      timeoutMs: 60_000,
    });
    await echo();
    expect(api().logs()).not.toMatch(/request failed|uncaught|unhandled/i);
  }, 120_000);

  it('5,000 idle streams cost little, and leave nothing behind', async () => {
    const sessions: string[] = [];
    await inParallel(10, Array.from({ length: 200 }), async () => {
      const session = new WireClient(...stack.urls);
      await session.initialize();
      sessions.push(session.sessionId);
    });
    // With the connections that the sessions were made over, which go after a minute.
    const handlesBefore = openHandles(api().pid);
    const sockets = new IdleSockets(url());
    const streams = Array.from({ length: 5_000 }, (_, n) =>
      n % 5 === 0 ? getStream(sessions[(n / 5) % sessions.length] ?? '') : listen(client),
    );
    const growth = await growthDuring(api(), async () => {
      await inParallel(100, streams, async (request) => {
        expect(await sockets.open(request)).toContain('text/event-stream');
      });
      expect(await openStreams()).toBeGreaterThanOrEqual(5_000);
    });
    process.stdout.write(`5,000 idle streams: ${mebibytes(growth)} MiB\n`);
    expect(growth).toBeLessThan(320 * MIB);
    sockets.close();
    await waitFor(() => openHandles(api().pid) <= handlesBefore + 20, {
      what: 'the connections are gone',
      timeoutMs: 60_000,
    });
    await echo();
  }, 120_000);

  it('clients that do not read their answers are cut before the answers fill the memory', async () => {
    const characters = 8_000_000;
    const readers = 40;
    const taskId = await client.withTasks().startTask('bulk', { characters });
    const task = await waitFor(
      async () => {
        const found = await client.withTasks().result('tasks/get', { taskId });
        return found['status'] === 'completed' ? found : null;
      },
      { what: 'the large result is there' },
    );
    expect(JSON.stringify(task).length).toBeGreaterThan(characters);
    const handlesBefore = openHandles(api().pid);
    const sockets = new IdleSockets(url());
    const { body, headers } = client.withTasks().build('tasks/get', { taskId });
    const growth = await growthDuring(api(), async () => {
      await inParallel(4, Array.from({ length: readers }), async () => {
        await sockets.open(httpRequest('POST', headers, body));
      });
      await waitFor(() => openHandles(api().pid) <= handlesBefore + 5, {
        what: 'they are cut',
        timeoutMs: 60_000,
      });
    });
    sockets.close();
    process.stdout.write(`${readers} unread answers of 8 MB: ${mebibytes(growth)} MiB\n`);
    // Most of it is garbage; what is kept of unread answers is bounded at 256 MiB (UnreadAnswers).
    expect(growth).toBeLessThan(1_536 * MIB);
  }, 120_000);

  it('tools that report without end harm neither their worker nor anybody else', async () => {
    const reports = 40_000;
    const worker = first(stack.workers);
    let told = 0;
    const flood = async (): Promise<void> => {
      told = 0;
      const calls = Array.from({ length: 4 }, async (_, call) => {
        const answer = await client.request(
          'tools/call',
          { name: 'flood', arguments: { reports } },
          { meta: { progressToken: call, 'io.modelcontextprotocol/logLevel': 'info' } },
        );
        expect(answer.last.result).toMatchObject({ structuredContent: { reports } });
        told += answer.messages.length;
      });
      await Promise.all(calls);
    };
    // What the worker allocates for it once, it has after this.
    await flood();
    const growth = await growthDuring(worker, flood);
    process.stdout.write(`4 × ${reports} reports: ${mebibytes(growth)} MiB, ${told} told\n`);
    // A thousand log messages each, and progress ten times a second.
    expect(told).toBeGreaterThan(4_000);
    expect(told).toBeLessThan(8_000);
    expect(growth).toBeLessThan(400 * MIB);
  }, 120_000);
});

function first<T>(list: readonly T[]): T {
  const [found] = list;
  if (found === undefined) throw new Error('none is there');
  return found;
}

function getStream(sessionId: string): string {
  return httpRequest('GET', {
    Accept: 'text/event-stream',
    'Mcp-Session-Id': sessionId,
    'MCP-Protocol-Version': '2025-11-25',
  });
}

function listen(client: ModernClient): string {
  const filter = { notifications: { toolsListChanged: true } };
  const { body, headers } = client.build('subscriptions/listen', filter);
  return httpRequest('POST', headers, body);
}

/** Sends a request, or the beginning of one, and is gone. */
function openAndDrop(url: string, request: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => {
      socket.write(request, () => socket.resetAndDestroy());
    });
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });
}

async function inParallel<T>(
  lanes: number,
  list: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = list.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
