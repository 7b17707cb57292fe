import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import type { WireMessage, WireStream } from '@longshore/testing/mcp';
import { META, type ModernClient } from '@longshore/testing/mcp';
import {
  CreateTaskResultV2Schema,
  GetTaskResultV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2';
import { startModernStack } from './support/modern-stack.ts';
import type { Stack } from './support/stack.ts';

/** The tasks extension over two replicas that take turns: nothing depends on which one is asked. */
function modernTasks(mode: Mode): void {
  let stack: Stack;
  let client: ModernClient;

  beforeAll(async () => {
    const started = await startModernStack({ mode, apis: 2 });
    stack = started.stack;
    client = started.client.withTasks({ elicitation: {} });
  });
  afterAll(() => stack.stop());

  const get = async (taskId: string) => client.result('tasks/get', { taskId });
  const until = (taskId: string, status: string) =>
    waitFor(
      async () => {
        const task = await get(taskId);
        return task['status'] === status ? task : undefined;
      },
      { what: `task is ${status}` },
    );

  describe('a task', () => {
    it('is made by the server alone, flat, and found at once at the other replica', async () => {
      const created = await client.result('tools/call', { name: 'hang' }, { replica: 0 });
      CreateTaskResultV2Schema.parse(created);
      expect(created).toMatchObject({
        resultType: 'task',
        status: 'working',
        ttlMs: 86_400_000,
        pollIntervalMs: 1_000,
        _meta: { [META.serverInfo]: { name: 'longshore' } },
      });
      for (const member of ['task', 'result', 'error', 'inputRequests', 'requestState']) {
        expect(created).not.toHaveProperty(member);
      }
      const { taskId } = created;
      const found = await client.result('tasks/get', { taskId }, { replica: 1 });
      expect(found).toMatchObject({ resultType: 'complete', taskId, status: 'working' });
      await client.result('tasks/cancel', { taskId });
    });

    it('has its result inlined, without related-task mark', async () => {
      const taskId = await client.startTask('echo', { text: 'hello' });
      const done = await until(taskId, 'completed');
      GetTaskResultV2Schema.parse(done);
      expect(done).toMatchObject({
        resultType: 'complete',
        result: { structuredContent: { text: 'hello' } },
      });
      expect(JSON.stringify(done)).not.toContain('related-task');
      expect(done).not.toHaveProperty('error');
    });

    it('has completed when its tool failed, and failed when it ended in a JSON-RPC error', async () => {
      const failed = await until(await client.startTask('fail', { message: 'no' }), 'completed');
      expect(failed).toMatchObject({ result: { isError: true } });
      const refused = await until(await client.startTask('refuse_late'), 'failed');
      expect(refused).toMatchObject({
        error: { code: 4_001, message: 'refused late', data: { reason: 'test' } },
      });
      expect(refused).not.toHaveProperty('result');
      // -32050 is a code that this revision keeps for itself.
      const claimed = await until(await client.startTask('refuse'), 'failed');
      expect(claimed).toMatchObject({ error: { code: -32603, message: 'refused' } });
    });

    it('of arguments that do not fit is none: the failure is the answer', async () => {
      expect(
        await client.result('tools/call', { name: 'echo', arguments: { text: 5 } }),
      ).toMatchObject({ resultType: 'complete', isError: true });
    });

    it('says how far it is while it works', async () => {
      const taskId = await client.startTask('steps', { steps: 20, stepMs: 150 });
      await waitFor(async () => String((await get(taskId))['statusMessage']).includes('of 20'), {
        what: 'the status message is there',
      });
      await client.result('tasks/cancel', { taskId });
    });

    it('is cancelled with an acknowledgement, as often as one likes, and stops its tool', async () => {
      const taskId = await client.startTask('hang');
      await waitFor(() => stack.workers[0]?.lines.some((line) => line.includes(taskId)), {
        what: 'it runs',
      });
      for (let times = 0; times < 2; times += 1) {
        const ack = await client.result('tasks/cancel', { taskId });
        expect(ack).toEqual({ resultType: 'complete', _meta: ack['_meta'] });
      }
      expect(await get(taskId)).toMatchObject({ status: 'cancelled' });
      await waitFor(
        () =>
          stack.workers[0]?.lines.some(
            (line) => line.includes(taskId) && line.includes('attempt stopped'),
          ),
        { what: 'the worker stopped the tool' },
      );
    });

    it('that has ended stays as it is when cancelled', async () => {
      const taskId = await client.startTask('echo', { text: 'x' });
      await until(taskId, 'completed');
      await client.result('tasks/cancel', { taskId });
      expect(await get(taskId)).toMatchObject({ status: 'completed' });
    });

    it('lives on when the connection that asked for it is gone', async () => {
      const taskId = await client.startTask('steps', { steps: 3, stepMs: 200 });
      expect(await until(taskId, 'completed')).toMatchObject({ resultType: 'complete' });
    });

    it('is none for a tool that never is one, nor for a client that does not know tasks', async () => {
      expect(
        await client.result('tools/call', { name: 'greet', arguments: { name: 'x' }, task: {} }),
      ).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, x!' }] });
      expect(
        await client.declaring({}).result('tools/call', { name: 'echo', arguments: { text: 'x' } }),
      ).toMatchObject({ resultType: 'complete', structuredContent: { text: 'x' } });
    });
  });

  describe('a task that asks', () => {
    it('lists its questions by key, the same each time, and goes on with the answer', async () => {
      const taskId = await client.startTask('ask_name');
      const asking = await until(taskId, 'input_required');
      GetTaskResultV2Schema.parse(asking);
      expect(asking).toMatchObject({
        resultType: 'complete',
        inputRequests: {
          user_name: { method: 'elicitation/create', params: { message: 'Your name?' } },
        },
      });
      expect((await get(taskId))['inputRequests']).toEqual(asking['inputRequests']);
      const ack = await client.result('tasks/update', {
        taskId,
        inputResponses: {
          user_name: { action: 'accept', content: { name: 'Luca', extra: true } },
          unknown: { ignored: true },
        },
      });
      expect(ack).toEqual({ resultType: 'complete', _meta: ack['_meta'] });
      expect((await get(taskId))['inputRequests']).toBeUndefined();
      expect(await until(taskId, 'completed')).toMatchObject({
        result: { content: [{ text: 'Hello, Luca!' }] },
      });
    });

    it('takes answers one by one, each gone from the questions at once', async () => {
      const taskId = await client.startTask('ask_both');
      await until(taskId, 'input_required');
      const answer = (inputResponses: object) =>
        client.result('tasks/update', { taskId, inputResponses });
      await answer({ nobody: 17 });
      expect(Object.keys((await get(taskId))['inputRequests'] as object)).toEqual([
        'left',
        'right',
      ]);
      await answer({ left: { action: 'accept', content: { name: 'L', confirm: true } } });
      const half = await get(taskId);
      expect(half['status']).toBe('input_required');
      expect(Object.keys(half['inputRequests'] as object)).toEqual(['right']);
      // Answered already: this changes nothing.
      await answer({ left: { action: 'accept', content: { name: 'other' } } });
      await answer({ right: { action: 'accept', content: { sure: true } } });
      expect(await until(taskId, 'completed')).toMatchObject({
        result: { content: [{ text: 'L, true' }] },
      });
    });

    it('asks again under another key when the answer does not fit', async () => {
      const taskId = await client.startTask('ask_name');
      await until(taskId, 'input_required');
      await client.result('tasks/update', { taskId, inputResponses: { user_name: 12345 } });
      const again = await waitFor(
        async () => {
          const questions = (await get(taskId))['inputRequests'] as object | undefined;
          return questions !== undefined && !('user_name' in questions) ? questions : undefined;
        },
        { what: 'it asks again' },
      );
      const [key] = Object.keys(again);
      await client.result('tasks/update', {
        taskId,
        inputResponses: { [key ?? '']: { action: 'decline' } },
      });
      expect(await until(taskId, 'completed')).toMatchObject({
        result: { content: [{ text: 'decline' }] },
      });
    });

    it('can be cancelled while it asks', async () => {
      const taskId = await client.startTask('ask_name');
      await until(taskId, 'input_required');
      await client.result('tasks/cancel', { taskId });
      const cancelled = await get(taskId);
      expect(cancelled['status']).toBe('cancelled');
      expect(cancelled).not.toHaveProperty('inputRequests');
    });
  });

  describe('subscriptions/listen', () => {
    const listen = (notifications: object, replica = 0): Promise<WireStream> =>
      client.open('subscriptions/listen', { notifications }, { replica });
    const statuses = (stream: WireStream, taskId: string): unknown[] =>
      stream.messages
        .filter((message) => message.method === 'notifications/tasks')
        .filter((message) => message.params?.['taskId'] === taskId)
        .map((message) => message.params?.['status']);
    const last = (stream: WireStream): WireMessage | undefined => stream.messages.at(-1);

    it('tells first what it honours, then each state of the tasks in full, then ends', async () => {
      const taskId = await client.startTask('steps', { steps: 4, stepMs: 300 });
      const stream = await listen({ taskIds: [taskId] }, 1);
      await stream.ended;
      expect(stream.messages[0]).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { taskIds: [taskId] } },
      });
      expect(statuses(stream, taskId).at(0)).toBe('working');
      expect(statuses(stream, taskId).filter((status) => status === 'completed')).toHaveLength(1);
      const end = stream.messages.at(-2);
      expect(end?.params).toMatchObject({
        status: 'completed',
        result: { structuredContent: { attempt: 1 } },
      });
      const { id } = last(stream) ?? {};
      expect(last(stream)?.result).toMatchObject({
        resultType: 'complete',
        _meta: { [META.subscriptionId]: id },
      });
      for (const message of stream.messages.slice(0, -1)) {
        expect(message.params?.['_meta']).toMatchObject({ [META.subscriptionId]: id });
      }
    });

    it('tells of progress as words, and of nothing else of the kind', async () => {
      const taskId = await client.startTask('steps', { steps: 5, stepMs: 400 });
      const stream = await listen({ taskIds: [taskId] });
      await stream.ended;
      const methods = new Set(stream.messages.map((message) => message.method));
      expect(methods).toEqual(
        new Set(['notifications/subscriptions/acknowledged', 'notifications/tasks', undefined]),
      );
      const words = stream.messages.map((message) => String(message.params?.['statusMessage']));
      expect(words.some((text) => /of 5 steps|\/5 step/.test(text))).toBe(true);
    });

    it('tells the end of a task that had ended before, and leaves out what is not the caller’s', async () => {
      const taskId = await client.startTask('refuse_late');
      await until(taskId, 'failed');
      const stream = await listen({
        taskIds: ['f47ac10b-58cc-4372-a567-0e02b2c3d479', taskId, 'nonsense', taskId],
      });
      await stream.ended;
      expect(stream.messages[0]?.params).toMatchObject({ notifications: { taskIds: [taskId] } });
      expect(stream.messages).toHaveLength(3);
      expect(stream.messages[1]?.params).toMatchObject({
        taskId,
        status: 'failed',
        error: { code: 4_001 },
      });
    });

    it('ends at once when none of the tasks is the caller’s', async () => {
      const stream = await listen({ taskIds: ['f47ac10b-58cc-4372-a567-0e02b2c3d479'] });
      await stream.ended;
      expect(stream.messages.map((message) => message.method)).toEqual([
        'notifications/subscriptions/acknowledged',
        undefined,
      ]);
    });

    it('carries questions, their answers and a cancellation made at the other replica', async () => {
      const taskId = await client.startTask('ask_both');
      const stream = await listen({ taskIds: [taskId] }, 0);
      const pushed = (keys: string[]) =>
        waitFor(
          () =>
            stream.messages.some(
              ({ params }) =>
                params?.['status'] === 'input_required' &&
                Object.keys(params['inputRequests'] as object).join() === keys.join(),
            ),
          { what: `questions ${keys.join()} are pushed` },
        );
      await pushed(['left', 'right']);
      await client.result(
        'tasks/update',
        { taskId, inputResponses: { left: { action: 'decline' } } },
        { replica: 1 },
      );
      await pushed(['right']);
      await client.result('tasks/cancel', { taskId }, { replica: 1 });
      await stream.ended;
      expect(statuses(stream, taskId).at(-1)).toBe('cancelled');
    });

    it('acknowledges lists, stays open for them when its tasks have ended, and never cancels', async () => {
      const taskId = await client.startTask('steps', { steps: 2, stepMs: 400 });
      const stream = await listen({ taskIds: [taskId], toolsListChanged: true });
      await waitFor(() => statuses(stream, taskId).at(-1) === 'completed', {
        what: 'the end is told',
      });
      expect(stream.messages[0]?.params).toMatchObject({
        notifications: { taskIds: [taskId], toolsListChanged: true },
      });
      expect(last(stream)?.result).toBeUndefined();
      const hanging = await client.startTask('hang');
      const other = await listen({ taskIds: [hanging] });
      await waitFor(() => other.messages.length > 1, { what: 'it listens' });
      other.close();
      stream.close();
      expect(await get(hanging)).toMatchObject({ status: 'working' });
      await client.result('tasks/cancel', { taskId: hanging });
    });

    it('tells of changed resources to those who asked for them', async () => {
      const asked = await listen({ resourceSubscriptions: ['test://asked'] }, 0);
      const lists = await listen({ promptsListChanged: true }, 1);
      await waitFor(() => asked.messages.length > 0 && lists.messages.length > 0, {
        what: 'both are acknowledged',
      });
      await client.startTask('touch', { uri: 'test://other' });
      await client.startTask('touch', { uri: 'test://asked' });
      await waitFor(() => asked.messages.length > 1, { what: 'the change is told' });
      expect(
        asked.messages.slice(1).map(({ method, params }) => [method, params?.['uri']]),
      ).toEqual([['notifications/resources/updated', 'test://asked']]);
      expect(lists.messages).toHaveLength(1);
      asked.close();
      lists.close();
    });

    it('keeps up 200 tasks on one stream', async () => {
      const ids = await Promise.all(
        Array.from({ length: 200 }, (_, n) => client.startTask('echo', { text: `${n}` })),
      );
      const stream = await listen({ taskIds: ids });
      await stream.ended;
      for (const id of ids) expect(statuses(stream, id).at(-1)).toBe('completed');
      expect(last(stream)?.result).toMatchObject({ resultType: 'complete' });
    });

    it('ends with an answer when its server stops', async () => {
      const url = await stack.startApi();
      const own = client.at(url);
      const taskId = await own.startTask('hang');
      const stream = await own.open('subscriptions/listen', {
        notifications: { taskIds: [taskId], toolsListChanged: true },
      });
      await waitFor(() => stream.messages.length > 1, { what: 'it listens' });
      await stack.apis.at(-1)?.kill('SIGTERM');
      await stream.ended;
      expect(last(stream)?.result).toMatchObject({ resultType: 'complete' });
      await client.result('tasks/cancel', { taskId });
    });
  });
}

describeInMode('tasks of 2026-07-28', 'postgres', modernTasks);
