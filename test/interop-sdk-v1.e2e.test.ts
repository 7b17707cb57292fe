import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { CallToolResultSchema, type Progress } from '@modelcontextprotocol/sdk/types.js';
import { type InteropStack, startInteropStack } from './support/interop-stack.ts';
import { connectSdkV1, type SdkV1Client } from './support/sdk-v1-client.ts';

interface Streamed {
  readonly kinds: string[];
  readonly statuses: string[];
  readonly taskId: string;
  readonly result: unknown;
  readonly error: Error | null;
}

/** Runs a tool as a task, the way hosts do, and notes what came. */
async function streamTask(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  onprogress?: (progress: Progress) => void,
): Promise<Streamed> {
  const seen = { kinds: [] as string[], statuses: [] as string[], taskId: '' };
  let result: unknown = null;
  let error: Error | null = null;
  const stream = client.experimental.tasks.callToolStream(
    { name, arguments: args },
    CallToolResultSchema,
    { task: { ttl: 60_000 }, ...(onprogress === undefined ? {} : { onprogress }) },
  );
  for await (const message of stream) {
    seen.kinds.push(message.type);
    if (message.type === 'taskCreated') seen.taskId = message.task.taskId;
    if (message.type === 'taskStatus') seen.statuses.push(message.task.status);
    if (message.type === 'result') result = message.result;
    if (message.type === 'error') error = message.error;
  }
  return { ...seen, result, error };
}

const text = (value: string) => ({ content: [{ type: 'text', text: value }] });

/** `@modelcontextprotocol/sdk` 1.x, unmodified; it knows the tasks of 2025-11-25. */
function sdkV1(mode: Mode): void {
  let interop: InteropStack;
  let own: SdkV1Client;

  beforeAll(async () => {
    interop = await startInteropStack({ mode });
    own = await connectSdkV1(interop.url);
    await own.client.listTools();
  });
  afterAll(async () => {
    await own.client.close();
    await interop.stop();
  });

  describe('tasks', () => {
    it('are streamed from their creation to their result', async () => {
      const { kinds, result } = await streamTask(own.client, 'steps', { steps: 3, stepMs: 100 });
      expect(kinds.at(0)).toBe('taskCreated');
      expect(kinds.at(-1)).toBe('result');
      expect(result).toMatchObject({ structuredContent: { attempt: 1 } });
    });

    it('report progress after they were accepted', async () => {
      const seen: number[] = [];
      await streamTask(own.client, 'steps', { steps: 5, stepMs: 200 }, ({ progress }) => {
        seen.push(progress);
      });
      expect(seen.length).toBeGreaterThan(0);
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => a - b));
    });

    it('are listed and cancelled', async () => {
      const { tasks } = own.client.experimental;
      const stream = tasks.callToolStream({ name: 'hang', arguments: {} }, CallToolResultSchema, {
        task: {},
      });
      const errors: Error[] = [];
      for await (const message of stream) {
        if (message.type === 'taskCreated') {
          const { taskId } = message.task;
          const { tasks: listed } = await tasks.listTasks();
          expect(listed.map((task) => task.taskId)).toContain(taskId);
          expect(await tasks.cancelTask(taskId)).toMatchObject({ taskId, status: 'cancelled' });
        }
        if (message.type === 'error') errors.push(message.error);
      }
      expect(errors).toEqual([
        expect.objectContaining({ message: expect.stringMatching(/was cancelled/) }),
      ]);
      expect((await tasks.listTasks()).tasks[0]).toMatchObject({ status: 'cancelled' });
    });

    it('that fail say why', async () => {
      const { tasks } = own.client.experimental;
      const { taskId, error } = await streamTask(own.client, 'fail', { message: 'no paper' });
      expect(error?.message).toMatch(/failed/);
      expect(await tasks.getTask(taskId)).toMatchObject({
        status: 'failed',
        statusMessage: 'no paper',
      });
      expect(await tasks.getTaskResult(taskId, CallToolResultSchema)).toMatchObject({
        ...text('no paper'),
        isError: true,
      });
    });

    it('that end in a JSON-RPC error return it', async () => {
      const { tasks } = own.client.experimental;
      const { taskId } = await streamTask(own.client, 'refuse');
      await expect(tasks.getTaskResult(taskId, CallToolResultSchema)).rejects.toMatchObject({
        code: -32050,
        data: { reason: 'test' },
      });
    });

    it('are what some tools must be and others must not', async () => {
      const taskOnly = { method: 'tools/call' as const, params: { name: 'task_only' } };
      await expect(own.client.request(taskOnly, CallToolResultSchema)).rejects.toMatchObject({
        code: -32601,
      });
      expect((await streamTask(own.client, 'task_only')).result).toMatchObject(text('done'));
      expect((await streamTask(own.client, 'never_task')).error).toMatchObject({ code: -32601 });
    });

    it('are found again by a client that was restarted', async () => {
      const first = await connectSdkV1(interop.url);
      const { sessionId } = first.transport;
      let taskId = '';
      const stream = first.client.experimental.tasks.callToolStream(
        { name: 'ask_user', arguments: {} },
        CallToolResultSchema,
        { task: {} },
      );
      for await (const message of stream) {
        if (message.type !== 'taskCreated') continue;
        taskId = message.task.taskId;
        break;
      }
      await first.client.close();
      const second = await connectSdkV1(interop.url, { sessionId: sessionId ?? '' });
      expect(
        await second.client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema),
      ).toMatchObject(text('Hello, Ada!'));
      await second.client.close();
    });
  });

  describe('plain calls', () => {
    it('are held until they are done, with progress', async () => {
      const seen: number[] = [];
      const result = await own.client.callTool(
        { name: 'steps', arguments: { steps: 3, stepMs: 150 } },
        CallToolResultSchema,
        { onprogress: ({ progress }) => seen.push(progress) },
      );
      expect(result).toMatchObject({ structuredContent: { attempt: 1 } });
      expect(seen.length).toBeGreaterThan(0);
    });

    it('end when the client gives up', async () => {
      const abort = new AbortController();
      const progressed = new Promise<void>((resolve) => {
        void own.client
          .callTool({ name: 'hang', arguments: {} }, CallToolResultSchema, {
            signal: abort.signal,
            onprogress: () => resolve(),
          })
          .catch(() => {});
      });
      await progressed;
      abort.abort('enough');
      await waitFor(
        () =>
          interop.stack.workers.some(({ lines }) =>
            lines.some((line) => line.includes('"hang"') && line.includes('cancelled')),
          ),
        { what: 'the worker stops' },
      );
    });

    it('that fail are results, and what is unknown is an error', async () => {
      expect(
        await own.client.callTool({ name: 'fail', arguments: { message: 'no' } }),
      ).toMatchObject({ ...text('no'), isError: true });
      await expect(own.client.callTool({ name: 'nothing' })).rejects.toMatchObject({
        code: -32602,
      });
    });

    it('do not come back for ever after an error', async () => {
      const { client, sent } = await connectSdkV1(interop.url);
      await expect(client.callTool({ name: 'refuse', arguments: {} })).rejects.toMatchObject({
        data: { reason: 'test' },
      });
      // It takes the stream of an error for one that broke, and asks for the rest of it, once a second.
      sent.length = 0;
      await client.callTool({ name: 'steps', arguments: { steps: 4, stepMs: 1_000 } });
      expect(sent.filter((method) => method === 'GET').length).toBeLessThanOrEqual(1);
      await client.close();
    });
  });

  describe('questions', () => {
    it.each([
      ['ask_user', 'elicitation/create', 'Hello, Ada!'],
      ['ask_page', 'elicitation/create', 'accept'],
      ['ask_model', 'sampling/createMessage', 'oracle: Paris'],
      ['ask_roots', 'roots/list', 'file:///work'],
    ])('%s is answered within a plain call', async (name, method, answer) => {
      const { client, person } = await connectSdkV1(interop.url);
      expect(await client.callTool({ name, arguments: {} })).toMatchObject(text(answer));
      expect(person.asked.map((asked) => asked.method)).toEqual([method]);
      await client.close();
    });

    it.each([
      ['ask_user', 'Hello, Ada!'],
      ['ask_page', 'accept'],
      ['ask_model', 'oracle: Paris'],
      ['ask_roots', 'file:///work'],
    ])('%s is answered within a task', async (name, answer) => {
      const { client, person } = await connectSdkV1(interop.url);
      const { result, taskId } = await streamTask(client, name);
      expect(result).toMatchObject(text(answer));
      expect(person.asked).toHaveLength(1);
      expect(person.asked[0]?.params).toMatchObject({
        _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
      });
      await client.close();
    });

    it('several at once, one after another', async () => {
      const { client, person } = await connectSdkV1(interop.url);
      const { result } = await streamTask(client, 'ask_all');
      expect(result).toMatchObject({
        structuredContent: { name: 'Ada', capital: 'Paris', roots: ['file:///work'] },
      });
      expect(person.asked.map(({ method }) => method).sort()).toEqual([
        'elicitation/create',
        'roots/list',
        'sampling/createMessage',
      ]);
      await client.close();
    });

    it('put a task into input_required while they wait', async () => {
      const { client, person } = await connectSdkV1(interop.url);
      let answer: (value: { action: 'decline' }) => void = () => {};
      person.elicit = () => new Promise((resolve) => (answer = resolve));
      const streamed = streamTask(client, 'ask_user');
      await waitFor(() => person.asked.length === 1, { what: 'the question arrives' });
      const { tasks } = await client.experimental.tasks.listTasks();
      expect(tasks[0]).toMatchObject({ status: 'input_required' });
      answer({ action: 'decline' });
      expect(await streamed).toMatchObject({ result: text('decline') });
      await client.close();
    });

    it('that are answered wrongly are asked again', async () => {
      const { client, person } = await connectSdkV1(interop.url);
      const answers = ['x', 'Grace'];
      person.elicit = () => ({ action: 'accept', content: { name: answers.shift() ?? '' } });
      expect(await client.callTool({ name: 'ask_user', arguments: {} })).toMatchObject(
        text('Hello, Grace!'),
      );
      expect(person.asked).toHaveLength(2);
      expect(person.asked[1]?.params['message']).toMatch(/did not fit/);
      await client.close();
    });

    it('that the client refuses, or can not be asked, fail by name', async () => {
      const { client, person } = await connectSdkV1(interop.url);
      person.sample = () => Promise.reject(new Error('not today'));
      expect(await client.callTool({ name: 'ask_vain', arguments: {} })).toMatchObject(
        text('refused'),
      );
      await client.close();
      const mute = await connectSdkV1(interop.url, { capabilities: {} });
      expect(await mute.client.callTool({ name: 'ask_vain', arguments: {} })).toMatchObject(
        text('unsupported'),
      );
      await mute.client.close();
    });
  });

  it('ends its session', async () => {
    const { client, transport } = await connectSdkV1(interop.url);
    await transport.terminateSession();
    expect(transport.sessionId).toBeUndefined();
    await client.close();
  });

  it('spoke to both replicas', () => {
    expect(Math.min(...interop.proxy.counts)).toBeGreaterThan(20);
  });
}

describeInMode('SDK 1.x', 'postgres', sdkV1);
