import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import {
  ModernClient,
  WireClient,
  type WireMessage,
  type WireStream,
} from '@longshore/testing/mcp';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { type InteropStack, startInteropStack } from './support/interop-stack.ts';
import { FULL_ABILITIES } from './support/person.ts';
import { connectSdkV1 } from './support/sdk-v1-client.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const ADA = { action: 'accept', content: { name: 'Ada' } };
const HELLO_ADA = { content: [{ type: 'text', text: 'Hello, Ada!' }] };

type Json = Record<string, unknown>;

/** One principal, two eras, two replicas without affinity: a task is the same whoever looks at it (P4). */
function crossEra(mode: Mode): void {
  let interop: InteropStack;
  let modern: ModernClient;
  let legacy: WireClient;

  beforeAll(async () => {
    interop = await startInteropStack({ mode });
    modern = new ModernClient([interop.url.href]).withTasks(FULL_ABILITIES);
    legacy = await newLegacy();
  });
  afterAll(() => interop.stop());

  const newLegacy = async (capabilities: object = FULL_ABILITIES): Promise<WireClient> => {
    const client = new WireClient(interop.url.href);
    await client.initialize('2025-11-25', capabilities);
    return client;
  };
  const startLegacy = async (name: string, args = {}, task = {}): Promise<string> => {
    const created = (await legacy.result('tools/call', { name, arguments: args, task })) as {
      task: { taskId: string };
    };
    return created.task.taskId;
  };
  const listedIds = async (): Promise<unknown[]> => {
    const { tasks } = await legacy.result('tasks/list');
    return (tasks as Json[]).map((task) => task['taskId']);
  };
  const untilModern = (taskId: string, status: string): Promise<Json> =>
    waitFor(
      async () => {
        const task = await modern.result('tasks/get', { taskId });
        return task['status'] === status ? task : undefined;
      },
      { what: `the modern era sees it ${status}` },
    );
  const untilAsked = (stream: WireStream, count = 1): Promise<WireMessage[]> =>
    waitFor(() => stream.questions.length >= count && stream.questions, {
      what: `${count} questions arrive`,
    });
  const answerOf = async (stream: WireStream): Promise<Json | undefined> => {
    await stream.ended;
    return stream.answer?.result;
  };

  describe('a task of the legacy era', () => {
    it('is read in the modern one, with the same times and another form', async () => {
      const taskId = await startLegacy('echo', { text: 'both' }, { ttl: 90_000 });
      await legacy.result('tasks/result', { taskId });
      const { ttl, pollInterval, ...told } = await legacy.result('tasks/get', { taskId });
      const seen = await modern.result('tasks/get', { taskId });
      expect(seen).toMatchObject({
        ...told,
        resultType: 'complete',
        ttlMs: ttl,
        pollIntervalMs: pollInterval,
        result: { structuredContent: { text: 'both' } },
      });
      expect(ttl).toBe(90_000);
      expect(Object.keys(seen)).not.toContain('ttl');
      expect(JSON.stringify(seen)).not.toContain(RELATED);
    });

    it('that failed as a tool has failed there, and is completed here', async () => {
      const taskId = await startLegacy('fail', { message: 'no paper' });
      expect(await legacy.result('tasks/result', { taskId })).toMatchObject({ isError: true });
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject({
        status: 'failed',
        statusMessage: 'no paper',
      });
      expect(await modern.result('tasks/get', { taskId })).toMatchObject({
        status: 'completed',
        result: { isError: true, content: [{ text: 'no paper' }] },
      });
    });

    it('that ended in a JSON-RPC error has failed in both', async () => {
      const taskId = await startLegacy('refuse');
      const error = await legacy.error('tasks/result', { taskId });
      expect(error).toMatchObject({ message: 'refused', data: { reason: 'test' } });
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject({ status: 'failed' });
      expect(await modern.result('tasks/get', { taskId })).toMatchObject({
        status: 'failed',
        error: { message: 'refused', data: { reason: 'test' } },
      });
    });

    it('is listened to in the modern one until it ends', async () => {
      const taskId = await startLegacy('steps', { steps: 3, stepMs: 300 });
      const stream = await modern.open('subscriptions/listen', {
        notifications: { taskIds: [taskId] },
      });
      await stream.ended;
      expect(stream.messages.at(0)).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { taskIds: [taskId] } },
      });
      const told = stream.of('notifications/tasks').map(({ params }) => params?.['statusMessage']);
      expect(told).toContain('2 of 3 steps');
      expect(stream.of('notifications/tasks').at(-1)?.params).toMatchObject({
        taskId,
        status: 'completed',
        result: { structuredContent: { attempt: 1 } },
      });
    });

    it('is updated in the modern one, and its own client need not answer any more', async () => {
      const own = await newLegacy();
      const { task } = (await own.result('tools/call', { name: 'ask_user', task: {} })) as {
        task: { taskId: string };
      };
      const { taskId } = task;
      const waiting = await own.open('tasks/result', { taskId });
      const [question] = await untilAsked(waiting);
      expect(await untilModern(taskId, 'input_required')).toMatchObject({
        inputRequests: {
          name: {
            method: 'elicitation/create',
            params: { message: 'Your name?', requestedSchema: { required: ['name'] } },
          },
        },
      });
      expect(
        await modern.result('tasks/update', { taskId, inputResponses: { name: ADA } }),
      ).toMatchObject({ resultType: 'complete' });
      expect(await modern.result('tasks/get', { taskId })).not.toHaveProperty('inputRequests');
      expect(await answerOf(waiting)).toMatchObject(HELLO_ADA);
      // Late, and ignored.
      const late = { action: 'accept', content: { name: 'Eve' } };
      expect(await own.respond(question as WireMessage, late)).toBe(202);
      expect(await own.result('tasks/result', { taskId })).toMatchObject(HELLO_ADA);
    });

    it('asks again in the modern one what its own client answered wrongly', async () => {
      const taskId = await startLegacy('ask_user');
      const waiting = await legacy.open('tasks/result', { taskId });
      const [question] = await untilAsked(waiting);
      await legacy.respond(question as WireMessage, { action: 'accept', content: { name: 'x' } });
      await untilAsked(waiting, 2);
      const { inputRequests } = await untilModern(taskId, 'input_required');
      const [key] = Object.keys(inputRequests as Json);
      expect(key).not.toBe('name');
      await modern.result('tasks/update', { taskId, inputResponses: { [String(key)]: ADA } });
      expect(await answerOf(waiting)).toMatchObject(HELLO_ADA);
    });

    it('asks another session that looks at it, when its own is gone', async () => {
      const taskId = await startLegacy('ask_user');
      await untilModern(taskId, 'input_required');
      const own = await newLegacy();
      const stream = await own.listen();
      await waitFor(
        async () => {
          await own.result('tasks/get', { taskId });
          return stream.questions.length > 0;
        },
        { what: 'the question arrives' },
      );
      expect(stream.questions[0]?.params).toMatchObject({ _meta: { [RELATED]: { taskId } } });
      await own.respond(stream.questions[0] as WireMessage, ADA);
      await untilModern(taskId, 'completed');
      expect(stream.questions).toHaveLength(1);
      expect(stream.of('notifications/tasks/status')).toEqual([]);
      stream.close();
    });

    it('does not ask another session while its own is there', async () => {
      const [own, other] = [await newLegacy(), await newLegacy()];
      const [mine, theirs] = [await own.listen(), await other.listen()];
      const { task } = (await own.result('tools/call', { name: 'ask_user', task: {} })) as {
        task: { taskId: string };
      };
      const { taskId } = task;
      const [question] = await untilAsked(mine);
      expect(await other.result('tasks/get', { taskId })).toMatchObject({
        status: 'input_required',
      });
      const waiting = await other.open('tasks/result', { taskId });
      await own.respond(question as WireMessage, ADA);
      expect(await answerOf(waiting)).toMatchObject(HELLO_ADA);
      expect([...theirs.questions, ...waiting.questions]).toEqual([]);
      mine.close();
      theirs.close();
    });

    it('is cancelled in the modern one, and whoever waits for it is told', async () => {
      const taskId = await startLegacy('hang');
      const waiting = legacy.request('tasks/result', { taskId });
      expect(await modern.result('tasks/cancel', { taskId })).toMatchObject({
        resultType: 'complete',
      });
      expect((await waiting).last.error).toMatchObject({ message: 'Task cancelled' });
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject({ status: 'cancelled' });
      // To cancel it again is nothing in one era, and an error in the other.
      expect(await modern.result('tasks/cancel', { taskId })).toMatchObject({
        resultType: 'complete',
      });
      expect(await legacy.error('tasks/cancel', { taskId })).toMatchObject({ code: -32602 });
    });

    it('is not shown to a modern client that does not know tasks', async () => {
      const taskId = await startLegacy('echo', { text: 'x' });
      for (const method of ['tasks/get', 'tasks/cancel']) {
        expect(await modern.declaring({}).error(method, { taskId })).toMatchObject({
          status: 400,
          code: -32021,
        });
      }
    });

    it('that is a plain call is nobody’s task', async () => {
      const before = await listedIds();
      const stream = await legacy.open('tools/call', { name: 'ask_user' });
      const [question] = await untilAsked(stream);
      expect(await listedIds()).toEqual(before);
      await legacy.respond(question as WireMessage, ADA);
      expect(await answerOf(stream)).toMatchObject(HELLO_ADA);
    });
  });

  describe('a task of the modern era', () => {
    it('is listed and read in the legacy one, with its result', async () => {
      const taskId = await modern.startTask('echo', { text: 'both' });
      await untilModern(taskId, 'completed');
      const { tasks } = await legacy.result('tasks/list');
      const listed = (tasks as Json[]).find((task) => task['taskId'] === taskId);
      expect(listed).toMatchObject({ status: 'completed', ttl: 86_400_000, pollInterval: 200 });
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject(listed as Json);
      expect(await legacy.result('tasks/result', { taskId })).toMatchObject({
        structuredContent: { text: 'both' },
        _meta: { [RELATED]: { taskId } },
      });
    });

    it('that failed as a tool is completed here, and has failed there', async () => {
      const taskId = await modern.startTask('fail', { message: 'no paper' });
      await untilModern(taskId, 'completed');
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject({
        status: 'failed',
        statusMessage: 'no paper',
      });
      expect(await legacy.result('tasks/result', { taskId })).toMatchObject({ isError: true });
    });

    it('that ends in a JSON-RPC error gives it in each way', async () => {
      const taskId = await modern.startTask('refuse');
      expect(await legacy.error('tasks/result', { taskId })).toMatchObject({ message: 'refused' });
      expect(await untilModern(taskId, 'failed')).toMatchObject({ error: { message: 'refused' } });
    });

    it('is waited for in the legacy one, and cancelled there', async () => {
      const taskId = await modern.startTask('hang');
      const waiting = legacy.request('tasks/result', { taskId });
      expect(await legacy.result('tasks/cancel', { taskId })).toMatchObject({
        taskId,
        status: 'cancelled',
      });
      expect((await waiting).last.error).toMatchObject({ message: 'Task cancelled' });
      await untilModern(taskId, 'cancelled');
    });

    it('that asks is answered in its own, while the legacy one waits', async () => {
      const taskId = await modern.startTask('ask_user');
      await untilModern(taskId, 'input_required');
      expect(await legacy.result('tasks/get', { taskId })).toMatchObject({
        status: 'input_required',
      });
      const mute = await newLegacy({});
      const waiting = await mute.open('tasks/result', { taskId });
      await modern.result('tasks/update', { taskId, inputResponses: { name: ADA } });
      expect(await answerOf(waiting)).toMatchObject(HELLO_ADA);
      expect(waiting.questions).toEqual([]);
    });

    it('that asks is answered in the legacy one, by whoever waits for it', async () => {
      const taskId = await modern.startTask('ask_user');
      const waiting = await legacy.open('tasks/result', { taskId });
      const [question] = await untilAsked(waiting);
      expect(question).toMatchObject({
        method: 'elicitation/create',
        params: { message: 'Your name?', _meta: { [RELATED]: { taskId } } },
      });
      await legacy.respond(question as WireMessage, ADA);
      expect(await answerOf(waiting)).toMatchObject(HELLO_ADA);
      expect(await untilModern(taskId, 'completed')).toMatchObject({ result: HELLO_ADA });
      expect(waiting.questions).toHaveLength(1);
    });

    it('that asks is answered in the legacy one, by an official client', async () => {
      const taskId = await modern.startTask('ask_all');
      const { client, person } = await connectSdkV1(interop.url);
      expect(
        await client.experimental.tasks.getTaskResult(taskId, CallToolResultSchema),
      ).toMatchObject({ structuredContent: { name: 'Ada', capital: 'Paris' } });
      expect(person.asked).toHaveLength(3);
      await client.close();
    });

    it('that asks leaves a legacy session alone that only looks at it', async () => {
      const taskId = await modern.startTask('ask_user');
      await untilModern(taskId, 'input_required');
      const own = await newLegacy();
      const stream = await own.listen();
      expect(await own.result('tasks/get', { taskId })).toMatchObject({ status: 'input_required' });
      await modern.result('tasks/update', { taskId, inputResponses: { name: ADA } });
      await untilModern(taskId, 'completed');
      // A task of its own is told and asked after whatever came of the other one.
      await own.result('tools/call', { name: 'ask_page', task: {} });
      const [question] = await untilAsked(stream);
      expect(question?.params?.['message']).toBe('Please pay.');
      expect(
        stream.of('notifications/tasks/status').map(({ params }) => params?.['taskId']),
      ).not.toContain(taskId);
      stream.close();
    });

    it('that asks does not ask a client that can not answer everything', async () => {
      const taskId = await modern.startTask('ask_all');
      await waitFor(
        async () => {
          const { inputRequests = {} } = await modern.result('tasks/get', { taskId });
          return Object.keys(inputRequests as Json).length === 2;
        },
        { what: 'it asks two things' },
      );
      const half = await newLegacy({ elicitation: {} });
      const refused = await half.open('tasks/result', { taskId });
      const waiting = await legacy.open('tasks/result', { taskId });
      const [first, second] = await untilAsked(waiting, 2);
      expect(refused.questions).toEqual([]);
      // One answer in each era.
      const form = [first, second].find((question) => question?.method === 'elicitation/create');
      await legacy.respond(form as WireMessage, ADA);
      const { inputRequests } = await untilModern(taskId, 'input_required');
      const [key] = Object.keys(inputRequests as Json);
      await modern.result('tasks/update', {
        taskId,
        inputResponses: {
          [String(key)]: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Rome' } },
        },
      });
      const roots = (await untilAsked(waiting, 3)).at(-1);
      await legacy.respond(roots as WireMessage, { roots: [{ uri: 'file:///work' }] });
      const result = { structuredContent: { name: 'Ada', capital: 'Rome' } };
      expect(await answerOf(waiting)).toMatchObject(result);
      expect(await answerOf(refused)).toMatchObject(result);
      expect(refused.questions).toEqual([]);
    });

    it('that asks first appears in the legacy one when it has its answers', async () => {
      const before = await listedIds();
      const { inputRequests, requestState } = await modern.result('tools/call', {
        name: 'ask_first',
        arguments: {},
      });
      expect(Object.keys(inputRequests as Json)).toEqual(['whom']);
      expect(await listedIds()).toEqual(before);
      const { taskId } = await modern.result('tools/call', {
        name: 'ask_first',
        arguments: {},
        inputResponses: { whom: ADA },
        requestState,
      });
      expect(await legacy.result('tasks/result', { taskId })).toMatchObject({
        content: [{ text: 'Done for Ada.' }],
      });
    });

    it('that is a plain call is nobody’s task', async () => {
      const before = await listedIds();
      await modern.declaring({}).result('tools/call', { name: 'echo', arguments: { text: 'x' } });
      expect(await listedIds()).toEqual(before);
    });
  });

  it('went over both replicas', () => {
    expect(Math.min(...interop.proxy.counts)).toBeGreaterThan(30);
  });
}

describeInMode('across the eras', 'redis', crossEra);

describe('principals that are not shared', () => {
  let interop: InteropStack;

  beforeAll(async () => {
    const environment = { ANONYMOUS_PRINCIPAL: 'session' };
    interop = await startInteropStack({ mode: 'postgres', environment });
  });
  afterAll(() => interop.stop());

  it('see nothing of each other’s tasks in either era', async () => {
    const modern = new ModernClient([interop.url.href]).withTasks();
    const [legacy, other] = [new WireClient(interop.url.href), new WireClient(interop.url.href)];
    await legacy.initialize();
    await other.initialize();
    const { task } = (await legacy.result('tools/call', { name: 'hang', task: {} })) as {
      task: { taskId: string };
    };
    const foreign = { taskId: task.taskId };
    const unknown = { taskId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' };
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const more = method === 'tasks/update' ? { inputResponses: {} } : {};
      expect(await modern.error(method, { ...foreign, ...more })).toEqual(
        await modern.error(method, { ...unknown, ...more }),
      );
    }
    const listening = await modern.open('subscriptions/listen', {
      notifications: { taskIds: [task.taskId] },
    });
    await waitFor(() => listening.messages.length > 0, { what: 'it is acknowledged' });
    expect(listening.messages[0]?.params?.['notifications']).toEqual({ taskIds: [] });
    listening.close();
    const ours = { taskId: await modern.startTask('echo', { text: 'ours' }) };
    for (const client of [legacy, other]) {
      for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel']) {
        expect(await client.error(method, ours)).toEqual(await client.error(method, unknown));
      }
    }
    expect(await other.error('tasks/get', foreign)).toEqual(
      await other.error('tasks/get', unknown),
    );
    expect(await other.result('tasks/list')).toEqual({ tasks: [] });
    expect(await legacy.result('tasks/get', foreign)).toMatchObject({ status: 'working' });
  });
});
