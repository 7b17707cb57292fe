import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  type JsonObject,
  type JsonValue,
  NO_ABILITIES,
  silentLogger,
  type TaskId,
  workerTopic,
} from '@longshore/core';
import { isTool } from '@longshore/plugin/host';
import { waitFor } from '@longshore/testing';
import { testThreads } from '../bench/test-threads.ts';
import { accepted, type StartOptions, WorkerBench } from '../bench/worker-bench.ts';
// @ts-expect-error: plugins may be JavaScript
import * as plugin from '../fixtures/isolated.js';

const TOOLS = Object.values(plugin).filter(isTool);
const ENTRY = path.join(import.meta.dirname, '..', 'fixtures', 'isolated.js');

let bench: WorkerBench;
let dir: string;
let threads: ReturnType<typeof testThreads>;
let logged: [string, object][];
beforeEach(async () => {
  bench = await WorkerBench.open('postgres');
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-threads-'));
  logged = [];
});
afterEach(async () => {
  await bench.close();
  await threads.stop();
  rmSync(dir, { recursive: true });
});

const note = (name: string): Promise<string> =>
  waitFor(() => existsSync(path.join(dir, name)) && `${readFileSync(path.join(dir, name))} `, {
    what: `the tool noted ${name}`,
  }).then((text) => text.trim());
const isNoted = (name: string) => existsSync(path.join(dir, name));
const go = () => writeFileSync(path.join(dir, 'go'), '');
const write = (level: string) => (fields: object, message: string) =>
  void logged.push([`${level}: ${message}`, fields]);
const log = {
  ...silentLogger,
  debug: write('debug'),
  warn: write('warn'),
  info: write('info'),
  error: write('error'),
};

async function start(
  pool: Parameters<typeof testThreads>[0] = {},
  options: StartOptions = {},
): ReturnType<WorkerBench['startWorker']> {
  threads = testThreads({ log, ...pool });
  return bench.startWorker(TOOLS, { threads, entry: ENTRY, log, abortGraceMs: 50, ...options });
}

const json = async (id: TaskId): Promise<JsonObject> => JSON.parse(await bench.text(id));
const result = (value: JsonObject): { kind: 'result'; result: JsonObject } => ({
  kind: 'result',
  result: value,
});

describe('the context of an isolated tool', () => {
  it('has everything that it has in the main thread', async () => {
    await start();
    const id = await bench.submit('everything', {}, { logLevel: 'debug', deadlineMs: 3_600_000 });
    await bench.questions(id, 'elicit-1', 'page', 'sample-1', 'roots-1');
    await waitFor(async () => (await bench.task(id)).statusMessage === 'asking around', {
      what: 'the status message is in the row',
    });
    const progress = bench.heard.find(({ kind }) => kind === 'progress');
    expect(progress).toMatchObject({ progress: 1, total: 4, message: 'one of four' });
    expect(bench.resourceUpdates).toEqual(['fixture://news']);
    const content: JsonValue = { type: 'text', text: 'hello' };
    await bench.answer(id, {
      'elicit-1': accepted({ name: 'Ann' }),
      page: { kind: 'result', result: { action: 'decline' } },
      'sample-1': result({ role: 'assistant', model: 'small', content }),
      'roots-1': result({ roots: [{ uri: 'file:///home' }] }),
    });
    const deadline: unknown = expect.any(Number);
    expect(await json(id)).toEqual({
      isMainThread: false,
      name: 'Ann',
      page: 'decline',
      model: 'small',
      roots: [{ uri: 'file:///home' }],
      checkpoint: { at: [1, 2] },
      nothing: null,
      taskId: id,
      principal: bench.session.principalId,
      attempt: 1,
      deadline,
      client: {
        elicitation: { form: true, url: true },
        sampling: true,
        samplingTools: true,
        roots: true,
      },
    });
    const logs = await bench.database.taskStore.logs(id, bench.session.principalId, '0', 10);
    expect(logs).toMatchObject([
      { level: 'notice', logger: 'everything', data: { message: 'hello', from: 'a thread' } },
    ]);
    expect(logged).toContainEqual([
      'info: hello',
      { taskId: id, attempt: 1, tool: 'everything', fields: { from: 'a thread' } },
    ]);
  }, 60_000);

  it('tells errors apart by their class', async () => {
    await start();
    const how = (kind: string, maxAttempts = 2) =>
      bench.submit('fail', { how: kind }, { maxAttempts, abilities: NO_ABILITIES });
    const [tool, protocol, input, plain, key, noJson, wrong] = await Promise.all([
      how('tool'),
      how('protocol'),
      how('input'),
      how('plain'),
      how('checkpoint', 1),
      how('json', 1),
      how('result'),
    ]);
    expect(await bench.text(tool)).toBe('the paper is out');
    expect(await bench.events(tool)).toEqual(['created', 'started', 'finished']);
    expect((await bench.outcome(protocol)).outcome).toEqual({
      kind: 'error',
      error: { code: -32_001, message: 'not like this', data: { why: [1] } },
    });
    expect(await bench.text(input)).toMatch(/client does not support filling in forms/);
    expect(await bench.events(input)).toEqual(['created', 'started', 'finished']);
    expect(await bench.text(plain)).toBe('attempt 2 failed');
    expect(await bench.text(key)).toMatch(/a checkpoint's key is a text/);
    expect(await bench.text(noJson)).toMatch(/run is a function/);
    expect(await bench.text(wrong)).toMatch(/The result of tool 'fail' is not usable/);
    const ofPlain = logged.filter(([, fields]) => 'taskId' in fields && fields.taskId === plain);
    const threw = ofPlain.find(([message]) => message === 'warn: tool threw');
    expect(threw?.[1]).toMatchObject({ err: { name: 'RangeError' } });
  }, 60_000);

  it('refuses arguments that do not fit', async () => {
    await start();
    expect(await bench.text(await bench.submit('spin', { dir: 7 }))).toMatch(
      /Invalid arguments for tool 'spin'/,
    );
  }, 60_000);
});

describe('an isolated tool and others', () => {
  const said = async (name: string, how: string): Promise<string> =>
    bench.text(await bench.submit(name, { how }, { maxAttempts: 1 }));

  it.each(['awaits', 'iterates'])(
    'does not map, and says what to do instead: it %s',
    async (how) => {
      await start();
      const id = await bench.submit('maps', { how }, { maxAttempts: 3 });
      expect(await bench.text(id)).toBe(
        "a tool of isolate 'thread' does not map: map over it, by its name, in a tool without isolate",
      );
      expect(await bench.events(id)).toEqual(['created', 'started', 'finished']);
    },
  );

  it('calls them, and is told why that fails', async () => {
    await start();
    expect(await said('calls', 'plain')).toBe('says: in the main thread: true');
    expect(await said('calls', 'fail')).toBe('the paper is out');
    expect(await said('calls', 'nowhere')).toBe('Unknown tool: nowhere');
    expect(await said('calls', 'nothing')).toBe('ctx.call takes a tool or the name of one');
    expect(await said('calls', 'function')).toBe('ctx.call takes a tool or the name of one');
    expect(await said('calls', 'big')).toBe('n is a BigInt');
  });

  it('is mapped over by one that is not isolated', async () => {
    await start();
    expect(await said('over', '')).toBe(
      'TOOL_ERROR: Unknown tool: nowhere, says: in the main thread: true',
    );
  });
});

describe('the threads of isolated tools', () => {
  it('run others while a tool waits for an answer, and the tool again when it is there', async () => {
    await start({ size: 1 });
    const asks = await bench.submit('fail', { how: 'input' });
    await bench.questions(asks, 'elicit-1');
    expect(await json(await bench.submit('count'))).toMatchObject({ runs: 1 });
    await bench.answer(asks, { 'elicit-1': accepted({ a: 'b' }) });
    expect(await bench.text(asks)).toBe('accept');
    await waitFor(() => threads.size === 1, { what: 'no more threads stay than may run' });
  }, 60_000);

  it('have one to spare for a principal when another one has them all', async () => {
    await start({ size: 1 });
    const busy = await bench.submit('wait', { dir });
    await note('started-1');
    await bench.submit('wait', { dir });
    const session = await bench.otherSession();
    expect(await json(await bench.submit('count', {}, { session }))).toMatchObject({ runs: 1 });
    expect((await bench.task(busy)).state).toBe('working');
  }, 60_000);
});

describe('stopping an isolated tool', () => {
  it.each(['listens', 'reports'])(
    'ends a loop that never awaits: it %s',
    async (how) => {
      await start({}, { abortGraceMs: 60_000 });
      const id = await bench.submit('spin', { dir, how }, { timeoutMs: 300 });
      await note('started-1');
      expect(await note('stopped-1')).toBe('AbortError timeout true');
      expect(await bench.text(id)).toBe('The tool did not finish within 300 ms.');
      expect(threads.size).toBe(1);
    },
    60_000,
  );

  it('fires the signal of one that waits, and lets it do nothing more', async () => {
    const { id: workerId } = await start({}, { abortGraceMs: 60_000 });
    const id = await bench.submit('wait', { dir });
    await note('started-1');
    await bench.database.taskStore.cancel(id, bench.session.principalId);
    await bench.messaging.bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: id });
    expect(await note('stopped-1')).toBe('cancelled true');
    expect((await bench.outcome(id)).task.state).toBe('cancelled');
    expect(threads.size).toBe(1);
  }, 60_000);

  it('ends the thread of one that ignores its signal, and has slot and place free again', async () => {
    const { id: workerId } = await start({ size: 1 }, { concurrency: 1 });
    const deaf = await bench.submit('spin', { dir });
    const threadId = await note('started-1');
    await bench.database.taskStore.cancel(deaf, bench.session.principalId);
    await bench.messaging.bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: deaf });
    const { threadId: other } = await json(await bench.submit('count'));
    expect(String(other)).not.toBe(threadId);
    expect((await bench.outcome(deaf)).task.state).toBe('cancelled');
    expect(threads.size).toBe(1);
    expect(logged.map(([message]) => message)).toContain(
      'warn: tool ignored its signal: its thread was ended',
    );
    go();
    expect(isNoted('ended-1')).toBe(false);
  }, 60_000);

  it('counts such a time-out as a failed attempt, which is retried', async () => {
    await start();
    const id = await bench.submit('spin', { dir }, { timeoutMs: 300, maxAttempts: 3 });
    await note('started-2');
    go();
    expect(await bench.text(id)).toBe('attempt 2');
    expect(await bench.events(id)).toEqual([
      'created',
      'started',
      'retried',
      'started',
      'finished',
    ]);
  }, 60_000);

  it('fails the task whose deadline is over', async () => {
    await start();
    const id = await bench.submit('spin', { dir }, { deadlineMs: 3_000, maxAttempts: 3 });
    expect((await bench.outcome(id)).outcome).toMatchObject({ kind: 'error' });
    await waitFor(() => threads.size === 0, { what: 'its thread is gone' });
  }, 60_000);

  it('hands it over when the worker stops', async () => {
    const { worker } = await start();
    const id = await bench.submit('spin', { dir });
    await note('started-1');
    await worker.stop();
    expect(await bench.events(id)).toEqual(['created', 'started', 'released']);
    await waitFor(() => threads.size === 0, { what: 'its thread is gone' });
  }, 60_000);
});

describe('the threads', () => {
  it('load a plugin once, and run one tool after the other', async () => {
    await start({ size: 1 });
    const first = await json(await bench.submit('count'));
    const second = await json(await bench.submit('count'));
    expect(first).toMatchObject({ runs: 1 });
    expect(second).toEqual({ runs: 2, threadId: first['threadId'] });
    threads.renew();
    const third = await json(await bench.submit('count'));
    expect(third).toMatchObject({ runs: 1 });
    expect(third['threadId']).not.toBe(first['threadId']);
  }, 60_000);

  it('are bounded: a call beyond waits, and its time stands still meanwhile', async () => {
    await start({ size: 1 }, { concurrency: 3 });
    const spinning = await bench.submit('spin', { dir });
    await note('started-1');
    const waiting = await bench.submit('count', {}, { timeoutMs: 250 });
    await waitFor(async () => (await bench.events(waiting)).includes('started'), {
      what: 'the second one is claimed',
    });
    // Others go on meanwhile; these take longer than the time limit of the one that waits.
    for (const until = performance.now() + 300; performance.now() < until; ) {
      expect(await bench.text(await bench.submit('plain'))).toMatch(/true/);
    }
    expect(threads.size).toBe(1);
    expect((await bench.task(waiting)).state).toBe('working');
    go();
    expect(await json(waiting)).toMatchObject({ runs: 1 });
    expect(await bench.text(spinning)).toBe('attempt 1');
    expect(await bench.events(waiting)).toEqual(['created', 'started', 'finished']);
  }, 60_000);

  it('let a call that waits be cancelled', async () => {
    const { id: workerId } = await start({ size: 1 }, { concurrency: 2, abortGraceMs: 60_000 });
    const spinning = await bench.submit('spin', { dir });
    await note('started-1');
    const waiting = await bench.submit('count');
    await waitFor(async () => (await bench.events(waiting)).includes('started'), {
      what: 'the second one is claimed',
    });
    await bench.database.taskStore.cancel(waiting, bench.session.principalId);
    await bench.messaging.bus.publish(workerTopic(workerId), { kind: 'cancel', taskId: waiting });
    await waitFor(() => logged.some(([message]) => message === 'info: attempt stopped'), {
      what: 'it has stopped',
    });
    // Its slot is free although the thread is not.
    expect(await bench.text(await bench.submit('plain'))).toMatch(/true/);
    go();
    expect(await bench.text(spinning)).toBe('attempt 1');
    expect(await json(await bench.submit('count'))).toMatchObject({ runs: 1 });
  }, 60_000);

  it('deliver all of a flood, the last progress included', async () => {
    await start();
    const id = await bench.submit('flood');
    expect(await bench.text(id)).toBe('done');
    const heard = bench.heard.filter(({ kind }) => kind === 'progress');
    expect(heard.at(-1)).toMatchObject({ progress: 100_000 });
    expect(logged.filter(([message]) => message === 'debug: still here')).toHaveLength(10_000);
  }, 60_000);
});
