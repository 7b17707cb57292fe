import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { readAnswer, WireClient, WireStream } from '@longshore/testing/mcp';
import { type Stack, startStack } from './support/stack.ts';

/** Two APIs and two workers: any request may go to any replica (P5), and no process is special. */
function replicas(mode: Mode): void {
  let stack: Stack;
  let client: WireClient;

  beforeAll(async () => {
    stack = await startStack({
      mode,
      apis: 2,
      workers: 2,
      environment: { SHUTDOWN_GRACE_MS: '1000' },
    });
    client = new WireClient(...stack.urls);
    await client.initialize();
    await waitFor(
      async () =>
        JSON.stringify(await client.result('tools/list', {}, { replica: 1 })).includes('steps'),
      {
        what: 'the catalogue is there',
      },
    );
  });
  afterAll(() => stack.stop());

  const startSteps = async (steps: number, stepMs: number, token: string): Promise<string> => {
    const { task } = (await client.result('tools/call', {
      name: 'steps',
      arguments: { steps, stepMs },
      task: {},
      _meta: { progressToken: token },
    })) as { task: { taskId: string } };
    return task.taskId;
  };

  it('share the work', async () => {
    const ids = await Promise.all(
      Array.from({ length: 24 }, (_, n) => startSteps(2, 100, `share-${n}`)),
    );
    const results = await Promise.all(
      ids.map((taskId) => client.result('tasks/result', { taskId })),
    );
    const pids = new Set(
      results.map((result) => (result['structuredContent'] as { pid: number }).pid),
    );
    expect(pids).toEqual(new Set(stack.workers.map((worker) => worker.pid)));
  });

  it('await at one API what another accepted, with its progress', async () => {
    const taskId = await startSteps(5, 200, 'across');
    const answer = await client.request('tasks/result', { taskId }, { replica: 1 });
    const progress = answer.messages.filter(
      (message) => message.method === 'notifications/progress',
    );
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.every((message) => message.params?.['progressToken'] === 'across')).toBe(true);
    expect(answer.last.result).toMatchObject({ structuredContent: { attempt: 1 } });
  });

  it('carry each notification on one stream only, wherever the streams are', async () => {
    const own = new WireClient(...stack.urls);
    await own.initialize();
    const get = await own.listen({ replica: 0 });
    const { task } = (await own.result('tools/call', {
      name: 'steps',
      arguments: { steps: 15, stepMs: 100 },
      task: {},
      _meta: { progressToken: 'one-stream' },
    })) as { task: { taskId: string } };
    const onGet = () =>
      get.messages.filter((message) => message.method === 'notifications/progress');
    await waitFor(() => onGet().length > 0, { what: 'the GET stream carries progress' });
    const waited = await own.request('tasks/result', { taskId: task.taskId }, { replica: 1 });
    const values = [
      ...onGet(),
      ...waited.messages.filter((m) => m.method === 'notifications/progress'),
    ].map((message) => Number(message.params?.['progress']));
    expect(values).toEqual([...new Set(values)]);
    expect(values.length).toBeGreaterThan(onGet().length);
    get.close();
  });

  it('let only the newest of several GET streams speak', async () => {
    const own = new WireClient(...stack.urls);
    await own.initialize();
    const older = await own.listen({ replica: 0 });
    const newer = await own.listen({ replica: 1 });
    const { task } = (await own.result('tools/call', {
      name: 'steps',
      arguments: { steps: 8, stepMs: 150 },
      task: {},
      _meta: { progressToken: 'newest' },
    })) as { task: { taskId: string } };
    const ends = (stream: WireStream) =>
      stream.messages.filter(
        (message) =>
          message.params?.['status'] === 'completed' && message.params['taskId'] === task.taskId,
      );
    await waitFor(() => ends(newer).length + ends(older).length > 0, { what: 'the end is told' });
    const values = [...older.messages, ...newer.messages]
      .filter((message) => message.method === 'notifications/progress')
      .map((message) => Number(message.params?.['progress']));
    expect(values).toEqual([...new Set(values)]);
    expect(ends(newer).length + ends(older).length).toBe(1);
    older.close();
    newer.close();
  });

  it('cancel at one API what another one holds open', async () => {
    const id = client.nextId();
    const held = await client.post(
      {
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'hang', arguments: {}, _meta: { progressToken: 1 } },
      },
      { replica: 0 },
    );
    const stream = new WireStream(held, new AbortController());
    await waitFor(() => stream.messages.length > 0, { what: 'the tool runs' });
    await client.notify('notifications/cancelled', { requestId: id }, { replica: 1 });
    await stream.ended;
    expect(stream.messages.every((message) => message.method === 'notifications/progress')).toBe(
      true,
    );
  });

  it('know of the end of a session everywhere', async () => {
    const own = new WireClient(...stack.urls);
    await own.initialize();
    await own.result('ping', {}, { replica: 0 });
    await own.result('ping', {}, { replica: 1 });
    expect(await own.delete({ replica: 1 })).toBe(204);
    await waitFor(async () => (await own.request('ping', {}, { replica: 0 })).status === 404, {
      what: 'the other API knows',
    });
  });

  it('lose no task when the worker that runs it is killed', async () => {
    const taskId = await startSteps(10, 200, 'killed');
    const waiting = client.request('tasks/result', { taskId }, { replica: 1 });
    const running = await waitFor(
      () => stack.workers.find((worker) => worker.lines.some((line) => line.includes(taskId))),
      { what: 'a worker runs it' },
    );
    await running.kill('SIGKILL');
    const { last } = await waiting;
    const survivor = stack.workers.find((worker) => worker !== running);
    expect(last.result).toMatchObject({ structuredContent: { attempt: 2, pid: survivor?.pid } });
  });

  it('lose no task when the API that accepted it is killed', async () => {
    const taskId = await startSteps(5, 200, 'api-killed');
    await stack.apis[0]?.kill('SIGKILL');
    expect(await client.result('tasks/result', { taskId }, { replica: 1 })).toMatchObject({
      structuredContent: { attempt: 1 },
    });
  });

  it('stop in good order: exit code 0, held requests ended, running tasks handed over', async () => {
    const stillRunning = await startRemaining();
    const held = client.post(
      {
        jsonrpc: '2.0',
        id: client.nextId(),
        method: 'tasks/result',
        params: { taskId: stillRunning },
      },
      { replica: 1 },
    );
    const stream = new WireStream(await held, new AbortController());
    const [api, worker] = [stack.apis[1], stack.workers.find((candidate) => candidate.isRunning())];
    const exits = await Promise.all([api?.kill('SIGTERM'), worker?.kill('SIGTERM')]);
    expect(exits.map((exit) => exit?.code)).toEqual([0, 0]);
    await stream.ended;
    expect(stream.messages.filter((message) => message.id !== undefined)).toEqual([]);
    // Whoever starts next goes on with it at once.
    const next = await stack.startWorker();
    await next.waitForLine(new RegExp(stillRunning));
    expect(next.isRunning()).toBe(true);
  });

  const startRemaining = async (): Promise<string> => {
    const answer = await client.post(
      {
        jsonrpc: '2.0',
        id: client.nextId(),
        method: 'tools/call',
        params: { name: 'hang', arguments: {}, task: {} },
      },
      { replica: 1 },
    );
    const { task } = (await readAnswer(answer)).last.result as { task: { taskId: string } };
    await waitFor(
      () => stack.workers.some((worker) => worker.lines.some((line) => line.includes(task.taskId))),
      {
        what: 'it runs',
      },
    );
    return task.taskId;
  };
}

describeWithRedis('replicas with Redis', () => replicas('redis'));
describe('replicas with Postgres only', () => replicas('postgres'));
