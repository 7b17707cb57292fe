import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { loadPlugin } from '@longshore/plugin/host';
import { testHost } from '@longshore/plugin/testing';
import { waitFor } from '@longshore/testing';
import { testThreads } from './bench/test-threads.ts';
import { WorkerBench } from './bench/worker-bench.ts';
// @ts-expect-error: plugins may be JavaScript
import * as guarded from './fixtures/guarded.js';

const ENTRY = path.join(import.meta.dirname, 'fixtures', 'guarded.js');

let bench: WorkerBench;
let threads: ReturnType<typeof testThreads>;
let logged: { message: string; fields: object }[];

beforeEach(async () => {
  bench = await WorkerBench.open('postgres');
  threads = testThreads();
  logged = [];
  const note = (fields: object, message: string): void => void logged.push({ message, fields });
  const log = { ...silentLogger, info: note, warn: note };
  const { tools } = loadPlugin(guarded, testHost());
  await bench.startWorker(tools, { threads, entry: ENTRY, log });
});
afterEach(async () => {
  await bench.close();
  await threads.stop();
});

describe.each([
  ['in the worker', 'here', true],
  ['in a thread', 'apart', false],
])('middleware %s', (_where, tool, isMain) => {
  it('runs around the tool', async () => {
    expect(JSON.parse(await bench.text(await bench.submit(tool)))).toEqual({
      attempt: 1,
      ranInMain: isMain,
      guardedInMain: isMain,
    });
  });

  it('fails it like the tool: an error is retried, a ToolError is not, a wrong result is refused', async () => {
    const submit = (how: string) => bench.submit(tool, { how }, { maxAttempts: 3 });
    const [stumbled, refused, broken] = await Promise.all(
      ['stumble', 'refuse', 'break'].map(submit),
    );
    if (stumbled === undefined || refused === undefined || broken === undefined) throw new Error();
    expect(JSON.parse(await bench.text(stumbled))).toEqual({ attempt: 3, ranInMain: isMain });
    const refusal = await bench.outcome(refused);
    expect(refusal.outcome).toMatchObject({
      isError: true,
      result: { content: [{ text: 'not for you' }] },
    });
    expect((await bench.outcome(broken)).outcome).toMatchObject({
      isError: true,
      result: { content: [{ text: expect.stringMatching(/attempt/) }] },
    });
    // Each use of a deprecated tool is told once, however many attempts it takes.
    const told = logged.filter(({ message }) => message === 'a deprecated tool is called');
    expect(told).toHaveLength(3);
    expect(told.map(({ fields }) => fields)).toContainEqual({
      taskId: stumbled,
      tool,
      principal: bench.session.principalId,
      instead: 'Use another one.',
    });
  });

  it('lets a tool sleep until it is cancelled', async () => {
    const id = await bench.submit(tool, { how: 'sleep' });
    await waitFor(async () => (await bench.task(id)).statusMessage === 'sleeping', {
      what: 'the tool sleeps',
    });
    await bench.cancel(id);
    await waitFor(() => logged.some(({ message }) => message === 'attempt stopped'), {
      what: 'the attempt has ended',
    });
    // Neither given up nor killed: it returned by itself.
    expect(logged.filter(({ message }) => message.startsWith('tool ignore'))).toEqual([]);
  });
});

it('middleware runs around each item of a batch over a tool, which wakes when its time is over', async () => {
  const { results } = JSON.parse(await bench.text(await bench.submit('over')));
  expect(results).toEqual([
    { attempt: 1, ranInMain: true, guardedInMain: true },
    'ITEM_TIMEOUT',
    'TOOL_ERROR',
  ]);
  await waitFor(() => guarded.woken.includes('TimeoutError'), {
    what: 'the sleeping tool woke up',
  });
});
