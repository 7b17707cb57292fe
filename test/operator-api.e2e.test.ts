import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { OperatorEvent } from '@longshore/operator';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { ModernClient, serverEvents } from '@longshore/testing/mcp';
import { createKey, revokeKey } from './support/api-keys.ts';
import { describeBulkActions } from './support/describe-bulk-actions.ts';
import { describeOperatorAccess } from './support/describe-operator-access.ts';
import { OperatorApi } from './support/operator-client.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const OPERATOR_TOOLS = path.join(import.meta.dirname, 'fixtures', 'operator-tools.js');

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

function tests(mode: Mode): void {
  let stack: Stack;
  /** May do everything. */
  let operator: OperatorApi;
  /** Sees everything. */
  let viewer: OperatorApi;
  /** Two clients, who see what is theirs. */
  let ada: OperatorApi;
  let bob: OperatorApi;
  let adasKey: string;

  beforeAll(async () => {
    stack = await startStack({
      mode,
      environment: { AUTH: 'api-key', PLUGINS: `${FIXTURE_TOOLS},${OPERATOR_TOOLS}` },
    });
    const [url = ''] = stack.urls;
    const keyOf = async (principal: string, scopes: string[]): Promise<string> =>
      (await createKey(stack, { principal, scopes })).key;
    operator = new OperatorApi(url, await keyOf('root', ['ops:write', 'tools:*', 'tasks:write']));
    viewer = new OperatorApi(url, await keyOf('viewer', ['ops:read']));
    adasKey = await keyOf('ada', ['tasks:read', 'tasks:write', 'tools:*']);
    ada = new OperatorApi(url, adasKey);
    bob = new OperatorApi(url, await keyOf('bob', ['tasks:read', 'tools:even']));
    await waitFor(async () => (await ada.call('GET /tools')).tools.length > 4, {
      what: 'the catalogue is there',
    });
  });
  afterAll(() => stack.stop());

  it('shows tasks to their owners, and those of all to who has ops:read', async () => {
    const mine = await ada.run('echo', { text: 'of ada' });
    await ada.inPhase(mine, 'completed');
    const theirs = await bob.run('even', { n: 2 });
    await bob.inPhase(theirs, 'completed');
    const ids = async (api: OperatorApi) =>
      (await api.call('GET /tasks')).tasks.map(({ id }) => id);
    expect(await ids(ada)).toEqual([mine]);
    expect(await ids(bob)).toEqual([theirs]);
    expect(await ids(viewer)).toEqual([theirs, mine]);
    const [task] = (await viewer.call('GET /tasks', { query: { tool: 'echo' } })).tasks;
    expect(task).toMatchObject({ id: mine, principal: { kind: 'api_key', subject: 'ada' } });
    const found = await viewer.call('GET /tasks', {
      query: { text: 'OF ADA', phase: 'completed' },
    });
    expect(found.tasks.map(({ id }) => id)).toEqual([mine]);
    expect(await viewer.call('GET /tasks/count', { query: {} })).toEqual({
      count: 2,
      isCapped: false,
    });
    expect(await viewer.text(mine)).toBe('{"text":"of ada"}');
    await expect(bob.call('GET /tasks/{id}', { params: { id: mine } })).rejects.toMatchObject({
      status: 404,
      code: 'TASK_NOT_FOUND',
      message: 'Task not found',
    });
    for (const what of ['', '/outcome', '/items', '/batch', '/result/download'])
      expect((await bob.status('GET', `/tasks/${mine}${what}`))[0]).toBe(404);
    const bobs = (await viewer.call('GET /tasks/{id}', { params: { id: theirs } })).principal?.id;
    expect(await ada.status('GET', `/tasks?principal=${bobs}`)).toEqual([
      403,
      'INSUFFICIENT_SCOPE',
    ]);
  });

  it('pages by cursors', async () => {
    const made: string[] = [];
    for (let n = 0; n < 5; n += 1) made.unshift(await ada.run('echo', { text: `page ${n}` }));
    for (const api of [ada, viewer]) {
      const first = await api.call('GET /tasks', { query: { limit: 2 } });
      const second = await api.call('GET /tasks', {
        query: { limit: 2, ...(first.next === null ? {} : { cursor: first.next }) },
      });
      expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual(made.slice(0, 4));
    }
  });

  it('acts for its owner, and for who has ops:write', async () => {
    const running = await ada.run('wait');
    const told = await waitFor(
      async () => {
        const task = await ada.inPhase(running, 'running');
        return task.progress === null ? null : task;
      },
      { what: 'its progress is in its row' },
    );
    expect(told).toMatchObject({
      waitsFor: null,
      progress: { done: 1, total: 4, message: 'waiting' },
    });
    const cancel = { params: { id: running } };
    await expect(bob.call('POST /tasks/{id}/cancel', cancel)).rejects.toMatchObject({
      status: 404,
    });
    await expect(viewer.call('POST /tasks/{id}/cancel', cancel)).rejects.toMatchObject({
      status: 403,
    });
    expect(await operator.call('POST /tasks/{id}/cancel', cancel)).toMatchObject({
      task: { phase: 'cancelled' },
    });
    await expect(operator.call('POST /tasks/{id}/cancel', cancel)).rejects.toMatchObject({
      status: 409,
      code: 'TASK_TERMINAL',
    });
    expect(await ada.status('GET', `/tasks/${running}/outcome`)).toEqual([400, 'TASK_CANCELLED']);
  });

  it('cancels a call that is held open, which its client gets told', async () => {
    const [url = ''] = stack.urls;
    const client = new ModernClient([url]).withAuthorization(`Bearer ${adasKey}`);
    const held = client.request(
      'tools/call',
      { name: 'wait', arguments: {} },
      { meta: { progressToken: 1 } },
    );
    const task = await waitFor(
      async () =>
        (await viewer.call('GET /tasks', { query: { phase: 'running' } })).tasks[0] ?? null,
      { what: 'the call runs' },
    );
    expect((await ada.call('GET /tasks')).tasks.map(({ id }) => id)).not.toContain(task.id);
    await operator.call('POST /tasks/{id}/cancel', { params: { id: task.id } });
    expect(JSON.stringify(await held)).toMatch(/cancelled/i);
  });

  it('runs a task again, with other arguments too, as a new task of the same owner', async () => {
    const failed = await ada.run('even', { n: 3 });
    expect(await ada.inPhase(failed, 'failed')).toMatchObject({ message: '3 is <b>odd</b>' });
    const retry = (api: OperatorApi, args?: Record<string, unknown>) =>
      api.call('POST /tasks/{id}/retry', {
        params: { id: failed },
        body: args === undefined ? {} : { arguments: args },
      });
    const { task: again } = await retry(ada);
    await ada.inPhase(again.id, 'failed');
    const { task: edited } = await retry(operator, { n: 4 });
    expect(edited.principal?.subject).toBe('ada');
    await ada.inPhase(edited.id, 'completed');
    expect(await ada.text(edited.id)).toBe('4 is even');
    await expect(retry(ada, { n: 'four' })).rejects.toMatchObject({
      status: 400,
      code: 'INVALID_PARAMS',
      message: expect.stringContaining('n must be integer'),
    });
    const open = await ada.run('wait');
    await expect(
      ada.call('POST /tasks/{id}/retry', { params: { id: open }, body: {} }),
    ).rejects.toMatchObject({ status: 409, code: 'TASK_OPEN' });
    await ada.call('POST /tasks/{id}/cancel', { params: { id: open } });
  });

  it('answers a question', async () => {
    const id = await ada.run('greet');
    const { questions, waitsFor } = await ada.inPhase(id, 'input_required');
    expect(waitsFor).toBe('an answer to its question');
    const [question] = questions;
    expect(question?.params['message']).toBe('Who are you?');
    const answer = {
      key: question?.key ?? '',
      action: 'accept',
      content: { name: 'Grace' },
    } as const;
    await expect(
      bob.call('POST /tasks/{id}/answer', { params: { id }, body: answer }),
    ).rejects.toMatchObject({ status: 404 });
    await operator.call('POST /tasks/{id}/answer', { params: { id }, body: answer });
    await ada.inPhase(id, 'completed');
    expect(await ada.text(id)).toBe('Hello Grace');
    await expect(
      ada.call('POST /tasks/{id}/answer', { params: { id }, body: answer }),
    ).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
  });

  it('shows a batch, its items and failures, and runs the failed ones again', async () => {
    const items = Array.from({ length: 10 }, (_, n) => ({ n }));
    const id = await ada.run('batch', { tool: 'even', items });
    await ada.inPhase(id, 'completed');
    const map = await viewer.call('GET /tasks/{id}/batch', { params: { id } });
    expect(map).toMatchObject({ items: 10, done: 5, failed: 5, isSealed: true, isSettled: true });
    expect(map.cells.reduce((sum, { size }) => sum + size, 0)).toBe(10);
    expect(map.failures).toEqual([{ message: '1 is <b>odd</b>', count: 5, sampleIndex: 1 }]);
    const failed = await ada.call('GET /tasks/{id}/items', {
      params: { id },
      query: { status: 'failed' },
    });
    expect(failed.items.map(({ index }) => index)).toEqual([1, 3, 5, 7, 9]);
    const file = await fetch(`${ada.base}/tasks/${id}/items/download`, { headers: ada.headers });
    expect((await file.text()).trim().split('\n')).toHaveLength(10);
    const { task } = await operator.call('POST /tasks/{id}/retry-failed', {
      params: { id },
      body: {},
    });
    const retried = await ada.inPhase(task.id, 'completed');
    expect(retried.batches).toMatchObject([{ items: 5, failed: 5 }]);
  });

  describeBulkActions(() => ({ stack, operator, viewer, ada, bob, adasKey }));

  it('says how the fleet stands', async () => {
    const { workers } = await viewer.call('GET /workers');
    expect(workers).toMatchObject([{ state: 'live', queues: expect.arrayContaining(['default']) }]);
    const busy = await ada.run('wait');
    await ada.inPhase(busy, 'running');
    const worker = await viewer.call('GET /workers/{id}', { params: { id: workers[0]?.id ?? '' } });
    expect(worker.tasks.map(({ id }) => id)).toEqual([busy]);
    await waitFor(async () => (await viewer.call('GET /overview')).open.running === 1, {
      what: 'the look at the queues sees what runs',
      timeoutMs: 20_000,
    });
    await ada.call('POST /tasks/{id}/cancel', { params: { id: busy } });
    const stats = await waitFor(
      async () => {
        const { tools } = await viewer.call('GET /stats', { query: { range: '1h' } });
        return tools.find(({ tool }) => tool === 'even') ?? null;
      },
      { what: 'what ended is counted', timeoutMs: 20_000 },
    );
    expect(stats.failed).toBeGreaterThan(0);
    expect((await viewer.call('GET /queues')).queues.map(({ name }) => name)).toContain('slow');
    expect(await ada.status('GET', '/workers')).toEqual([403, 'INSUFFICIENT_SCOPE']);
    expect(await ada.status('GET', '/overview')).toEqual([403, 'INSUFFICIENT_SCOPE']);
  });

  it('pauses a queue and a tool: what waits says so, and runs when they are resumed', async () => {
    const slow = { params: { name: 'slow' } };
    await expect(viewer.call('POST /queues/{name}/pause', slow)).rejects.toMatchObject({
      status: 403,
    });
    await operator.call('POST /queues/{name}/pause', slow);
    const inQueue = await ada.run('slow', { ms: 1 });
    await operator.call('POST /tools/{name}/pause', { params: { name: 'echo' } });
    const ofTool = await ada.run('echo', { text: 'later' });
    const other = await ada.run('even', { n: 2 });
    await ada.inPhase(other, 'completed');
    expect((await ada.inPhase(inQueue, 'waiting')).waitsFor).toBe(
      'its queue, slow, which is paused',
    );
    expect((await ada.inPhase(ofTool, 'waiting')).waitsFor).toBe('its tool, echo, which is paused');
    const [url = ''] = stack.urls;
    const client = new ModernClient([url]).withTasks().withAuthorization(`Bearer ${adasKey}`);
    for (const [taskId, what] of [
      [inQueue, 'queue slow'],
      [ofTool, 'tool echo'],
    ])
      expect(await client.result('tasks/get', { taskId })).toMatchObject({
        status: 'working',
        statusMessage: `Waits: the ${what} is paused.`,
      });
    const { queues } = await viewer.call('GET /queues');
    expect(queues.find(({ name }) => name === 'slow')?.isPaused ?? true).toBe(true);
    await operator.call('POST /queues/{name}/resume', slow);
    await operator.call('POST /tools/{name}/resume', { params: { name: 'echo' } });
    await ada.inPhase(inQueue, 'completed');
    await ada.inPhase(ofTool, 'completed');
  });

  it('drains a worker: it ends what it has, takes nothing, and goes on when it is told to', async () => {
    const [first] = (await viewer.call('GET /workers')).workers;
    const drained = { params: { id: first?.id ?? '' } };
    const running = await ada.run('slow', { ms: 1_500 });
    await ada.inPhase(running, 'running');
    await operator.call('POST /workers/{id}/drain', drained);
    expect((await viewer.call('GET /workers')).workers[0]?.state).toBe('draining');
    await ada.inPhase(running, 'completed');
    const waits = await ada.run('slow', { ms: 1 });
    await stack.startWorker();
    await ada.inPhase(waits, 'completed');
    const byWhom = await ada.text(waits);
    const { workers } = await viewer.call('GET /workers');
    expect(byWhom).toBe(`worker ${workers.find(({ id }) => id !== first?.id)?.pid}`);
    await operator.call('POST /workers/{id}/resume', drained);
    await waitFor(
      async () => {
        const id = await ada.run('slow', { ms: 20 });
        await ada.inPhase(id, 'completed');
        return (await ada.text(id)) === `worker ${first?.pid}`;
      },
      { what: 'the worker takes tasks again', timeoutMs: 30_000 },
    );
    await expect(
      operator.call('POST /workers/{id}/drain', { params: { id: UNKNOWN } }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('streams what changes, of one’s own or of all, until the key is revoked', async () => {
    const watcher = await createKey(stack, { principal: 'watcher', scopes: ['ops:read'] });
    const heard = { all: [] as OperatorEvent[], bobs: [] as OperatorEvent[] };
    const listen = async (authorization: string, into: OperatorEvent[]): Promise<() => boolean> => {
      const response = await fetch(`${ada.base}/events`, { headers: { authorization } });
      let isOver = false;
      const read = async (): Promise<void> => {
        for await (const { data } of serverEvents(response))
          if (data !== '') into.push(OperatorEvent.parse(JSON.parse(data)));
      };
      void read()
        .catch(() => {})
        .finally(() => {
          isOver = true;
        });
      return () => isOver;
    };
    const isCut = await listen(`Bearer ${watcher.key}`, heard.all);
    await listen(bob.headers['authorization'] ?? '', heard.bobs);
    await waitFor(() => heard.all.length > 0 && heard.bobs.length > 0, {
      what: 'both streams have begun',
    });
    const id = await ada.run('echo', { text: 'x' });
    const tells = (events: OperatorEvent[]): boolean =>
      events.some(
        (event) =>
          event.kind === 'tasks' &&
          event.changed.some((task) => task.id === id && task.phase === 'completed'),
      );
    await waitFor(() => tells(heard.all), { what: 'the operator hears of the task' });
    const mine = await bob.run('even', { n: 6 });
    await waitFor(() => JSON.stringify(heard.bobs).includes(mine), { what: 'bob hears of his' });
    expect(JSON.stringify(heard.bobs)).not.toContain(id);
    await revokeKey(stack, watcher.id);
    await waitFor(isCut, { what: 'the stream of the revoked key is cut' });
  });

  describeOperatorAccess(() => ({ stack, operator, viewer, ada, bob, adasKey }));

  it('refuses what does not fit, and says why', async () => {
    const cases: [method: string, route: string, status: number, code: string, body?: unknown][] = [
      ['GET', '/tasks?phase=asleep', 400, 'INVALID_PARAMS'],
      ['GET', '/tasks?limit=0', 400, 'INVALID_PARAMS'],
      ['GET', '/tasks?colour=red', 400, 'INVALID_PARAMS'],
      ['GET', '/tasks?principal=me', 400, 'INVALID_PARAMS'],
      ['GET', '/tasks?createdAfter=yesterday', 400, 'INVALID_PARAMS'],
      ['GET', '/tasks?cursor=abc', 400, 'INVALID_CURSOR'],
      ['GET', `/tasks/${UNKNOWN}/items?cursor=abc`, 404, 'TASK_NOT_FOUND'],
      ['GET', '/tasks/1', 400, 'INVALID_PARAMS'],
      ['GET', `/tasks/${UNKNOWN}`, 404, 'TASK_NOT_FOUND'],
      ['GET', '/tasks/%E0%A4%A', 400, 'INVALID_PARAMS'],
      ['GET', '/nothing', 404, 'NOT_FOUND'],
      ['PUT', '/tasks', 404, 'NOT_FOUND'],
      ['POST', '/tools/nothing/run', 404, 'UNKNOWN_TOOL', { arguments: {} }],
      ['POST', '/tools/never_task/run', 400, 'TASK_FORBIDDEN', { arguments: {} }],
      ['POST', '/tools/echo/run', 400, 'INVALID_PARAMS', { arguments: [] }],
      ['POST', '/tools/echo/run', 400, 'INVALID_PARAMS', { arguments: {}, more: 1 }],
      ['POST', '/tools/echo/run', 400, 'INVALID_PARAMS', { arguments: {} }],
      ['DELETE', `/schedules/${UNKNOWN}`, 404, 'NOT_FOUND'],
      ['GET', '/stats?range=1y', 400, 'INVALID_PARAMS'],
      ['POST', '/queues/nothing/pause', 404, 'NOT_FOUND'],
      ['POST', '/tools/nothing/pause', 404, 'NOT_FOUND'],
    ];
    for (const [method, route, code, name, body] of cases)
      expect([route, ...(await operator.status(method, route, body))]).toEqual([route, code, name]);
    expect(
      await operator.status('GET', '/me', undefined, { origin: 'https://evil.example' }),
    ).toEqual([403, 'FORBIDDEN_ORIGIN']);
  });

  it('describes itself as OpenAPI 3.1', async () => {
    const response = await fetch(`${ada.base}/openapi.json`);
    const document = (await response.json()) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(document.openapi).toBe('3.1.0');
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('post_tasks_id_cancel');
  });
}

describeInMode('the operator API', 'redis', tests);
