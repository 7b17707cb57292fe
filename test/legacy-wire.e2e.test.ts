import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { SseClient, WireClient, type WireMessage, WireStream } from '@longshore/testing/mcp';
import {
  CallToolResultSchema,
  CreateTaskResultSchema,
  GetTaskResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import pg from 'pg';
import { type Stack, startStack } from './support/stack.ts';

const RELATED = 'io.modelcontextprotocol/related-task';

function legacyWire(mode: Mode): void {
  let stack: Stack;
  let client: WireClient;

  beforeAll(async () => {
    const environment = { ANONYMOUS_PRINCIPAL: 'session', SSE_TRANSPORT: 'true' };
    stack = await startStack({ mode, environment });
    client = new WireClient(...stack.urls);
    await client.initialize();
    await waitFor(async () => (await toolNames()).includes('echo'), {
      what: 'the catalogue is there',
    });
  });
  afterAll(() => stack.stop());

  const toolNames = async (): Promise<string[]> => {
    const { tools } = await client.result('tools/list');
    return (tools as { name: string }[]).map((tool) => tool.name);
  };
  const startTask = async (name: string, args: object, extra: object = {}): Promise<string> => {
    const result = await client.result('tools/call', {
      name,
      arguments: args,
      task: { ttl: 60_000 },
      ...extra,
    });
    return CreateTaskResultSchema.parse(result).task.taskId;
  };
  const statusOf = async (taskId: string): Promise<string> =>
    GetTaskResultSchema.parse(await client.result('tasks/get', { taskId })).status;

  describe('handshake', () => {
    it('declares tasks to a client that knows them, and only to it', async () => {
      const current = await new WireClient(...stack.urls).initialize();
      expect(current.result).toMatchObject({
        protocolVersion: '2025-11-25',
        capabilities: {
          tools: {},
          tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
        },
      });
      const older = await new WireClient(...stack.urls).initialize('2025-06-18');
      expect(older.result).toMatchObject({ protocolVersion: '2025-06-18' });
      expect(older.result?.['capabilities']).not.toHaveProperty('tasks');
    });

    it('gives a client of an earlier revision no methods of tasks, which that does not know', async () => {
      const older = new WireClient(...stack.urls);
      await older.initialize('2025-06-18');
      for (const method of ['tasks/list', 'tasks/get', 'tasks/result', 'tasks/cancel']) {
        expect(await older.error(method, { taskId: crypto.randomUUID() })).toMatchObject({
          code: -32601,
        });
      }
      // Its jobs are found by the tools that are made for it.
      const jobs = await older.result('tools/call', { name: 'job_list', arguments: {} });
      expect(jobs['structuredContent']).toEqual({ jobs: [] });
    });

    it('offers its latest revision when it does not know the requested one', async () => {
      const answer = await new WireClient(...stack.urls).initialize('1999-01-01');
      expect(answer.result).toMatchObject({ protocolVersion: '2025-11-25' });
    });

    it('gives out session ids of visible ASCII', () => {
      expect(client.sessionId).toMatch(/^[\x21-\x7e]{32,}$/);
    });
  });

  describe('tools/list', () => {
    it('shows the catalogue by name with task support', async () => {
      const { tools } = await client.result('tools/list');
      const listed = tools as { name: string; execution: { taskSupport: string } }[];
      expect(listed.map((tool) => tool.name)).toEqual([
        'batch',
        'echo',
        'fail',
        'flaky',
        'hang',
        'job_answer',
        'job_cancel',
        'job_list',
        'job_result',
        'job_retry',
        'job_schedule',
        'job_schedules',
        'job_status',
        'job_unschedule',
        'job_wait',
        'never_task',
        'refuse',
        'retry_failed',
        'steps',
        'task_only',
      ]);
      expect(listed.find((tool) => tool.name === 'task_only')?.execution).toEqual({
        taskSupport: 'required',
      });
      expect(listed.find((tool) => tool.name === 'never_task')?.execution).toEqual({
        taskSupport: 'forbidden',
      });
      expect(listed.find((tool) => tool.name === 'echo')).toMatchObject({
        inputSchema: { type: 'object', required: ['text'] },
        outputSchema: { type: 'object' },
        execution: { taskSupport: 'optional' },
      });
    });
  });

  describe('a plain call', () => {
    it('answers with the tool’s result', async () => {
      const result = CallToolResultSchema.parse(
        await client.result('tools/call', { name: 'echo', arguments: { text: 'hello' } }),
      );
      expect(result).toMatchObject({ structuredContent: { text: 'hello' } });
      expect(result._meta).toBeUndefined();
    });

    it('streams its progress, strictly growing, before the answer', async () => {
      const answer = await client.request('tools/call', {
        name: 'steps',
        arguments: { steps: 3, stepMs: 150 },
        _meta: { progressToken: 0 },
      });
      const progress = answer.messages.filter(
        (message) => message.method === 'notifications/progress',
      );
      const values = progress.map((message) => Number(message.params?.['progress']));
      expect(values.length).toBeGreaterThan(0);
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect(progress[0]?.params).toMatchObject({ progressToken: 0, total: 3 });
      expect(progress[0]?.params).not.toHaveProperty('_meta');
      expect(answer.last.result).toMatchObject({ structuredContent: { attempt: 1 } });
    });

    it('of arguments that do not fit is a tool error that says why', async () => {
      const result = await client.result('tools/call', { name: 'echo', arguments: { text: 5 } });
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).toContain('text must be string');
    });

    it('is no task that the client could list', async () => {
      const other = new WireClient(...stack.urls);
      await other.initialize();
      await other.result('tools/call', { name: 'echo', arguments: { text: 'x' } });
      expect(await other.result('tasks/list')).toEqual({ tasks: [] });
    });

    it('ends when the client withdraws the request', async () => {
      const id = client.nextId();
      const response = await client.post({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name: 'hang', arguments: {}, _meta: { progressToken: 'h' } },
      });
      const stream = new WireStream(response, new AbortController());
      await waitFor(() => stream.messages.length > 0, { what: 'the tool runs' });
      expect((await client.notify('notifications/cancelled', { requestId: id })).status).toBe(202);
      await stream.ended;
      expect(stream.messages.filter((message) => message.method === undefined)).toEqual([]);
      await waitFor(
        () =>
          stack.workers[0]?.lines.some(
            (line) =>
              line.includes('hang') && line.includes('attempt stopped') && /cancel/i.test(line),
          ),
        { what: 'the worker stopped the tool' },
      );
    });
  });

  describe('a task', () => {
    it('is created as working, with the words for the model', async () => {
      const result = await client.result('tools/call', {
        name: 'task_only',
        arguments: {},
        task: {},
      });
      const { task, _meta } = CreateTaskResultSchema.parse(result);
      expect(task).toMatchObject({ status: 'working', ttl: 86_400_000 });
      expect(_meta?.['io.modelcontextprotocol/model-immediate-response']).toBe(
        'Started, look back later.',
      );
    });

    it('is waited for by tasks/result, with related progress and status, then its result', async () => {
      const taskId = await startTask(
        'steps',
        { steps: 4, stepMs: 200 },
        { _meta: { progressToken: 'tok' } },
      );
      const answer = await client.request('tasks/result', { taskId });
      expect(answer.contentType).toBe('text/event-stream');
      const methods = new Set(answer.messages.map((message) => message.method));
      expect(methods).toContain('notifications/progress');
      expect(methods).toContain('notifications/tasks/status');
      for (const message of answer.messages.filter((m) => m.method === 'notifications/progress')) {
        expect(message.params).toMatchObject({
          progressToken: 'tok',
          _meta: { [RELATED]: { taskId } },
        });
      }
      expect(answer.last.result).toMatchObject({
        structuredContent: { attempt: 1 },
        _meta: { [RELATED]: { taskId } },
      });
      expect(await statusOf(taskId)).toBe('completed');
    });

    it('can be asked for its result again', async () => {
      const taskId = await startTask('echo', { text: 'twice' });
      const first = await client.request('tasks/result', { taskId });
      const second = await client.request('tasks/result', { taskId });
      expect(second.last.result).toEqual(first.last.result);
      expect(second.contentType).toContain('application/json');
    });

    it('that fails is failed, keeps its result, and tells why in its status', async () => {
      const taskId = await startTask('fail', { message: 'no such customer' });
      const result = await client.result('tasks/result', { taskId });
      expect(result).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'no such customer' }],
      });
      expect(await client.result('tasks/get', { taskId })).toMatchObject({
        status: 'failed',
        statusMessage: 'no such customer',
      });
    });

    it('is retried as its tool says', async () => {
      const again = await startTask('flaky', { failures: 2 });
      expect(JSON.stringify(await client.result('tasks/result', { taskId: again }))).toContain(
        'done in attempt 3',
      );
      const never = await startTask('flaky', { failures: 9 });
      expect(await client.result('tasks/result', { taskId: never })).toMatchObject({
        isError: true,
      });
      expect(await statusOf(never)).toBe('failed');
    });

    it('whose tool answers with a JSON-RPC error gives back the same error', async () => {
      const taskId = await startTask('refuse', {});
      expect(await client.error('tasks/result', { taskId })).toEqual({
        code: -32050,
        message: 'refused',
        data: { reason: 'test' },
      });
      expect(await statusOf(taskId)).toBe('failed');
    });

    it('with arguments that do not fit is accepted and has failed', async () => {
      const taskId = await startTask('echo', { text: 5 });
      expect(await statusOf(taskId)).toBe('failed');
      expect(await client.result('tasks/result', { taskId })).toMatchObject({ isError: true });
    });

    it('that is cancelled is so before the answer, stays so, and stops its tool', async () => {
      const taskId = await startTask('hang', {}, { _meta: { progressToken: 'c' } });
      const waiting = client.request('tasks/result', { taskId });
      await waitFor(async () => (await statusOf(taskId)) === 'working', { what: 'the task runs' });
      expect(await client.result('tasks/cancel', { taskId })).toMatchObject({
        taskId,
        status: 'cancelled',
      });
      expect((await waiting).last.error).toMatchObject({
        code: -32000,
        message: 'Task cancelled',
        data: { _meta: { [RELATED]: { taskId } } },
      });
      expect(await client.error('tasks/cancel', { taskId })).toMatchObject({
        code: -32602,
        message: "Cannot cancel task: already in terminal status 'cancelled'",
      });
      expect(await statusOf(taskId)).toBe('cancelled');
    });

    it('is on the list, newest first, page by page', async () => {
      const own = new WireClient(...stack.urls);
      await own.initialize();
      const created: string[] = [];
      for (let n = 0; n < 55; n += 1) {
        const { task } = (await own.result('tools/call', {
          name: 'echo',
          arguments: { text: `${n}` },
          task: {},
        })) as { task: { taskId: string } };
        created.push(task.taskId);
      }
      const first = await own.result('tasks/list');
      const second = await own.result('tasks/list', { cursor: first['nextCursor'] });
      const ids = [
        ...(first['tasks'] as { taskId: string }[]),
        ...(second['tasks'] as { taskId: string }[]),
      ];
      expect(ids.map((task) => task.taskId)).toEqual(created.reverse());
      expect((first['tasks'] as unknown[]).length).toBe(50);
      expect(second).not.toHaveProperty('nextCursor');
    });

    it('of another session is unknown, word for word', async () => {
      const taskId = await startTask('echo', { text: 'mine' });
      const stranger = new WireClient(...stack.urls);
      await stranger.initialize();
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
        const foreign = await stranger.error(method, { taskId });
        const unknown = await stranger.error(method, {
          taskId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
        });
        const nonsense = await stranger.error(method, { taskId: 'no-such-task' });
        expect(foreign).toMatchObject({ code: -32602 });
        expect(unknown).toEqual(foreign);
        expect(nonsense).toEqual(foreign);
      }
      expect(await stranger.result('tasks/list')).toEqual({ tasks: [] });
    });
  });

  describe('the GET stream', () => {
    const about = (
      messages: readonly WireMessage[],
      taskId: string,
      method: string,
    ): WireMessage[] =>
      messages.filter(
        (message) => message.method === method && JSON.stringify(message.params).includes(taskId),
      );

    it('carries progress and status of a task nobody waits for', async () => {
      const own = new WireClient(...stack.urls);
      await own.initialize();
      const stream = await own.listen();
      const { task } = (await own.result('tools/call', {
        name: 'steps',
        arguments: { steps: 4, stepMs: 300 },
        task: {},
        _meta: { progressToken: 7 },
      })) as { task: { taskId: string } };
      await waitFor(
        () =>
          about(stream.messages, task.taskId, 'notifications/tasks/status').some(
            (message) => message.params?.['status'] === 'completed',
          ),
        { what: 'the end is told' },
      );
      const values = about(stream.messages, task.taskId, 'notifications/progress').map((message) =>
        Number(message.params?.['progress']),
      );
      expect(values.length).toBeGreaterThan(0);
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
      stream.close();
    });

    it('leaves a task alone while somebody waits for it: no message comes twice', async () => {
      const own = new WireClient(...stack.urls);
      await own.initialize();
      const stream = await own.listen();
      const { task } = (await own.result('tools/call', {
        name: 'steps',
        arguments: { steps: 12, stepMs: 120 },
        task: {},
        _meta: { progressToken: 8 },
      })) as { task: { taskId: string } };
      await waitFor(
        () => about(stream.messages, task.taskId, 'notifications/progress').length > 0,
        {
          what: 'the GET stream carries the task',
        },
      );
      const waited = await own.request('tasks/result', { taskId: task.taskId });
      const key = (message: WireMessage): string => String(message.params?.['progress']);
      const onGet = about(stream.messages, task.taskId, 'notifications/progress').map(key);
      const onWait = about(waited.messages, task.taskId, 'notifications/progress').map(key);
      expect(onWait.length).toBeGreaterThan(0);
      expect(onGet.filter((progress) => onWait.includes(progress))).toEqual([]);
      stream.close();
    });

    it('ends with its session, which is unknown from then on', async () => {
      const own = new WireClient(...stack.urls);
      await own.initialize();
      const stream = await own.listen();
      expect(await own.delete()).toBe(204);
      await stream.ended;
      expect((await own.request('tools/list')).status).toBe(404);
      expect(await own.delete()).toBe(404);
    });
  });

  /** After all the others, for it is about what they have left behind. */
  it('leaves the ids of sessions, which are credentials without others, out of all logs', async () => {
    const stream = await SseClient.open(stack.urls[0] ?? '');
    await stream.initialize();
    await stream.request(1, 'tools/call', { name: 'echo', arguments: { text: 'x' } });
    await stream.request(2, 'tools/call', { name: 'no_such_tool', arguments: {} });
    await client.request('tools/call', { name: 'no_such_tool', arguments: {} });
    await fetch(new URL(stream.endpoint), { method: 'PUT' });
    stream.close();
    const database = new pg.Client(stack.environment['DATABASE_URL']);
    await database.connect();
    const { rows } = await database.query<{ id: string }>(
      'SELECT id FROM sessions UNION SELECT session_id FROM tasks WHERE session_id IS NOT NULL',
    );
    await database.end();
    const connection = stream.endpoint.searchParams.get('sessionId') ?? '';
    const secrets = [connection, client.sessionId, ...rows.map(({ id }) => id)];
    const lines = [...stack.apis, ...stack.workers].flatMap((app) => app.lines);
    expect(lines.filter((line) => secrets.some((id) => line.includes(id)))).toEqual([]);
    // One session's lines still belong together.
    const opened = lines.filter((line) => line.includes('session opened'));
    const name = /"sessionId":"([^"]+)"/.exec(opened[0] ?? '')?.[1];
    expect(name).toMatch(/^[0-9a-f]{12}$/);
    expect(lines.filter((line) => line.includes(`"sessionId":"${name}"`)).length).toBeGreaterThan(
      1,
    );
  });
}

describeInMode('2025-11-25 on the wire', 'redis', legacyWire);
