import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import { expectDueForm } from './support/due-form.ts';
import { hostileCase } from './support/hostile-cases.ts';
import { openTasks } from './support/open-tasks.ts';
import { mebibytes, openHandles, residentBytes } from './support/process-usage.ts';
import { describeCase, type RawCase, RawLane } from './support/raw-lane.ts';
import { chooseSeed, type SeededRandom, seededRandom } from './support/seeded-random.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';
import type { Known } from './support/wire-requests.ts';

/** By raw sockets; `fuzz.e2e.test.ts` sends 10,000 more in good HTTP. */
const CASES = 10_400;
/** Connections at a time. */
const LANES = 8;
/** Cases after which a request that is good must be served. */
const HEALTHY_EVERY = 200;
/** Connections that say half a request and no more, open until the end. */
const HALF_OPEN = 200;
/** Shown of those that were found. */
const MAX_PROBLEMS = 10;
const LIBRARY = path.join(import.meta.dirname, 'fixtures', 'library-plugin.js');
/** Bytes the server reads in one run, as a multiple of what it may grow by: it keeps none of them. */
const MAX_GROWTH_BYTES = 96 * 1_048_576;

describe('whatever comes over a socket', () => {
  const seed = chooseSeed('fuzz of the edge');
  let stack: Stack;
  /** In a session of its own: what is thrown at the other one may withdraw its requests. */
  let healthy: WireClient;
  let known: Known;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      environment: {
        LOG_LEVEL: 'info',
        MAX_BODY_BYTES: '1048576',
        PLUGINS: `${FIXTURE_TOOLS},${LIBRARY}`,
      },
    });
    const client = new WireClient(...stack.urls);
    await client.initialize();
    healthy = new WireClient(...stack.urls);
    await healthy.initialize();
    await waitFor(async () => JSON.stringify(await client.result('tools/list')).includes('echo'), {
      what: 'the catalogue is there',
    });
    const { task } = (await client.result('tools/call', {
      name: 'echo',
      arguments: { text: 'x' },
      task: {},
    })) as { task: { taskId: string } };
    // Ended, so that nothing of what follows can cancel it.
    await client.result('tasks/result', { taskId: task.taskId });
    known = { sessionId: client.sessionId, taskId: task.taskId };
  });
  afterAll(() => stack.stop());

  const api = () => {
    const [first] = stack.apis;
    if (first === undefined) throw new Error('no API');
    return first;
  };
  const expectHealthy = async (): Promise<void> => {
    const text = 'alive';
    const echoed = await healthy.result('tools/call', { name: 'echo', arguments: { text } });
    expect(echoed['structuredContent']).toEqual({ text });
  };

  it('is answered in due form or cut, costs nothing that stays, and hurts nobody', async () => {
    const statuses = new Map<number, number>();
    const problems: string[] = [];
    let sent = 0;
    let cut = 0;
    let bytes = 0;
    const runLane = async (random: SeededRandom, cases: number): Promise<void> => {
      const lane = new RawLane(stack.urls[0] ?? '');
      for (let turn = 0; turn < cases; turn += 1) {
        const raw = hostileCase(random, known);
        try {
          cut += (await runCase(lane, raw, statuses)) === 0 ? 1 : 0;
        } catch (error) {
          if (problems.length < MAX_PROBLEMS) problems.push(String(error));
        }
        bytes += raw.bytes.length;
        sent += 1;
        if (sent % HEALTHY_EVERY === 0) await expectHealthy();
      }
      lane.close();
    };
    const runAll = (cases: number, salt: number): Promise<unknown> =>
      Promise.all(
        Array.from({ length: LANES }, (_, lane) =>
          runLane(seededRandom(seed + salt + lane), cases / LANES),
        ),
      );

    // What the server allocates once, it has after this.
    await runAll(CASES / 4, 0);
    const handlesBefore = openHandles(api().pid);
    const residentBefore = residentBytes(api().pid);
    const bytesBefore = bytes;
    const halfOpen = await openHalves(stack.urls[0] ?? '');
    await runAll((CASES * 3) / 4, 1_000);
    await expectHealthy();
    const growth = residentBytes(api().pid) - residentBefore;
    for (const socket of halfOpen) socket.destroy();

    process.stdout.write(
      `${sent} cases, ${mebibytes(bytes)} MiB, ${cut} cut; answers by status: ${JSON.stringify(Object.fromEntries([...statuses].sort()))}; the API grew by ${mebibytes(growth)} MiB\n`,
    );
    expect(problems).toEqual([]);
    // The generator reaches past the first checks, or it would prove little.
    for (const status of [200, 202, 400, 404, 405, 413, 415, 431]) {
      expect([status, statuses.get(status) ?? 0]).not.toEqual([status, 0]);
    }
    expect(bytes - bytesBefore).toBeGreaterThan(MAX_GROWTH_BYTES);
    expect(growth).toBeLessThan(MAX_GROWTH_BYTES);
    await waitFor(() => openHandles(api().pid) <= handlesBefore + LANES, {
      what: 'all connections are gone',
    });
    await waitFor(async () => (await openTasks(stack)) === 0, { what: 'nothing runs any more' });
    expect(api().isRunning()).toBe(true);
    expect(stack.apis[0]?.logs()).not.toMatch(/request failed|uncaught|unhandled/i);
  }, 240_000);
});

/** @returns how many answers came */
async function runCase(
  lane: RawLane,
  raw: RawCase,
  statuses: Map<number, number>,
): Promise<number> {
  const answers = await lane.send(raw);
  for (const answer of answers) {
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    expectDueForm(answer, describeCase(raw), raw.isElsewhere);
  }
  if (answers.length < raw.requests) throw new Error(`cut off: ${describeCase(raw)}`);
  return answers.length;
}

/** Connections that begin something: a head, a body, nothing at all. */
async function openHalves(url: string): Promise<Socket[]> {
  const beginnings = [
    '',
    'P',
    'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n',
    'POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc"',
  ];
  return Promise.all(
    Array.from({ length: HALF_OPEN }, async (_, n) => {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.on('error', () => {});
      await new Promise((resolve) => socket.once('connect', resolve));
      socket.write(beginnings[n % beginnings.length] ?? '');
      return socket;
    }),
  );
}
