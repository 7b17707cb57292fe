import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UI_EXTENSION, UI_MIME_TYPE } from '@longshore/core';
import { JOB_META } from '@longshore/protocol';
import { waitFor } from '@longshore/testing';
import type { WireClient, WireMessage, WireStream } from '@longshore/testing/mcp';
import {
  ElicitRequestSchema,
  GetTaskPayloadRequestSchema,
  GetTaskRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type LegacyStack, startLegacyStack, startTask } from './support/legacy-stack.ts';

const HOSTING = {
  elicitation: { form: {} },
  tasks: { requests: { elicitation: { create: {} } } },
};
const RESULT = { action: 'accept', content: { name: 'Ada' } };

describe('questions that a legacy client answers with tasks of its own', () => {
  let legacy: LegacyStack;
  let client: WireClient;

  beforeAll(async () => {
    legacy = await startLegacyStack({ mode: 'postgres', apis: 2 });
    client = await legacy.newClient(HOSTING);
  });
  afterAll(() => legacy.stack.stop());

  const hosted = (status: string, more = {}) => ({
    taskId: 'mine',
    status,
    createdAt: new Date().toISOString(),
    lastUpdatedAt: new Date().toISOString(),
    ttl: 60_000,
    pollInterval: 100,
    ...more,
  });
  /** The next request of this method that was not there before. */
  const next = async (stream: WireStream, method: string, nth = 1): Promise<WireMessage> =>
    waitFor(() => stream.questions.filter((question) => question.method === method)[nth - 1], {
      what: `${method} number ${nth}`,
    });
  const ask = (replica = 0): Promise<WireStream> =>
    client.open('tools/call', { name: 'ask_form', arguments: {} }, { replica });
  const textOf = async (stream: WireStream): Promise<string> => {
    await stream.ended;
    return JSON.stringify(stream.answer?.result);
  };

  it('are asked as tasks, followed, and their results fetched, through any replica', async () => {
    const stream = await ask();
    const question = await next(stream, 'elicitation/create');
    ElicitRequestSchema.parse(question);
    expect(question.params?.['task']).toEqual({ ttl: expect.any(Number) });
    expect(await client.respond(question, { task: hosted('working') }, { replica: 1 })).toBe(202);
    const first = await next(stream, 'tasks/get');
    GetTaskRequestSchema.parse(first);
    expect(first.params).toEqual({ taskId: 'mine' });
    await client.respond(first, hosted('working'), { replica: 1 });
    const second = await next(stream, 'tasks/get', 2);
    await client.respond(second, hosted('completed'), { replica: 0 });
    const fetch = await next(stream, 'tasks/result');
    GetTaskPayloadRequestSchema.parse(fetch);
    const meta = { 'io.modelcontextprotocol/related-task': { taskId: 'mine' } };
    await client.respond(fetch, { ...RESULT, _meta: meta }, { replica: 1 });
    expect(await textOf(stream)).toContain('Ada');
    const ids = stream.questions.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(stream.questions.filter(({ method }) => method === 'tasks/result')).toHaveLength(1);
  });

  it('may be answered at once all the same', async () => {
    const stream = await ask();
    await client.respond(await next(stream, 'elicitation/create'), RESULT);
    expect(await textOf(stream)).toContain('Ada');
    expect(stream.questions).toHaveLength(1);
  });

  it('may be tasks that are done by the time the client says so', async () => {
    const stream = await ask();
    await client.respond(await next(stream, 'elicitation/create'), { task: hosted('completed') });
    await client.respond(await next(stream, 'tasks/result'), { action: 'decline' });
    expect(await textOf(stream)).toContain('decline');
  });

  it.each<[string, object]>([
    ['failed', hosted('failed', { statusMessage: 'no user here' })],
    ['were cancelled', hosted('cancelled')],
    ['are unknown', { error: { code: -32602, message: 'Task not found' } }],
    ['answer with nonsense', { nonsense: true }],
  ])('whose tasks %s are refused', async (_what, status) => {
    const stream = await ask();
    await client.respond(await next(stream, 'elicitation/create'), { task: hosted('working') });
    await client.respond(await next(stream, 'tasks/get'), status);
    expect(await textOf(stream)).toContain('no answer: refused');
  });

  it('whose results are errors are refused, and results that do not fit are asked again', async () => {
    const refused = await ask();
    await client.respond(await next(refused, 'elicitation/create'), { task: hosted('completed') });
    const error = { error: { code: -1, message: 'rejected' } };
    await client.respond(await next(refused, 'tasks/result'), error);
    expect(await textOf(refused)).toContain('no answer: refused');
    const unfit = await ask();
    await client.respond(await next(unfit, 'elicitation/create'), { task: hosted('completed') });
    await client.respond(await next(unfit, 'tasks/result'), { action: 'accept', content: {} });
    await client.respond(await next(unfit, 'elicitation/create', 2), RESULT);
    expect(await textOf(unfit)).toContain('Ada');
  });

  it('of another task’s status are not moved by it', async () => {
    const stream = await ask();
    await client.respond(await next(stream, 'elicitation/create'), { task: hosted('working') });
    const get = await next(stream, 'tasks/get');
    await client.respond(get, { ...hosted('cancelled'), taskId: 'other' });
    await client.respond(await next(stream, 'tasks/get', 2), hosted('completed'));
    await client.respond(await next(stream, 'tasks/result'), RESULT);
    expect(await textOf(stream)).toContain('Ada');
  });

  it('are followed by the next stream when theirs ends, without being asked again', async () => {
    const taskId = await startTask(client, 'ask_form');
    const first = await client.open('tasks/result', { taskId }, { replica: 0 });
    await client.respond(await next(first, 'elicitation/create'), { task: hosted('working') });
    const before = await next(first, 'tasks/get');
    first.close();
    const second = await client.open('tasks/result', { taskId }, { replica: 1 });
    const after = await next(second, 'tasks/get');
    expect(after.id).not.toBe(before.id);
    await client.respond(after, hosted('completed'));
    await client.respond(await next(second, 'tasks/result'), RESULT);
    expect(await textOf(second)).toContain('Ada');
    expect(second.of('elicitation/create')).toEqual([]);
  });

  it('of kinds the client makes no tasks of are plain', async () => {
    const other = await legacy.newClient({
      elicitation: {},
      tasks: { requests: { sampling: { createMessage: {} } } },
    });
    const stream = await other.open('tools/call', { name: 'ask_form', arguments: {} });
    const question = await next(stream, 'elicitation/create');
    expect(question.params).not.toHaveProperty('task');
    await other.respond(question, { task: hosted('working') });
    expect((await next(stream, 'elicitation/create', 2)).params?.['message']).toContain('action');
    stream.close();
  });

  describe('of a call that becomes a job', () => {
    const extensions = { [UI_EXTENSION]: { mimeTypes: [UI_MIME_TYPE] } };
    /** Calls as a client that shows cards, and so gets a job soon. */
    async function becomeJob(name: string, args: object, capabilities: object) {
      const shown = await legacy.newClient({ ...capabilities, extensions });
      const session = await shown.listen();
      const call = await shown.open('tools/call', {
        name,
        arguments: args,
        _meta: { progressToken: 'mine' },
      });
      const end = async () => {
        const args = { task_id: Object(call.answer?.result?.['_meta'])[JOB_META] };
        return JSON.stringify(
          await shown.result('tools/call', { name: 'job_wait', arguments: args }),
        );
      };
      return { shown, session, call, end };
    }

    it('are followed on the stream of the session', async () => {
      const { shown, session, call, end } = await becomeJob('ask_form', {}, HOSTING);
      await shown.respond(await next(call, 'elicitation/create'), { task: hosted('working') });
      await call.ended;
      await shown.respond(await next(session, 'tasks/get'), hosted('completed'));
      await shown.respond(await next(session, 'tasks/result'), RESULT);
      expect(await end()).toContain('Ada');
      expect(session.of('elicitation/create')).toEqual([]);
    });

    it('are not asked again', async () => {
      const { shown, session, call, end } = await becomeJob('ask_form', {}, { elicitation: {} });
      const question = await next(call, 'elicitation/create');
      await call.ended;
      await waitFor(() => session.of('notifications/tasks/status')[0], {
        what: 'the job is told of',
      });
      await shown.respond(question, RESULT);
      expect(await end()).toContain('Ada');
      expect(session.questions).toEqual([]);
    });

    it('leave the stream of the session to tell how it ends, and no progress, whose request is over', async () => {
      const { session, call, end } = await becomeJob('narrate', { steps: 12, stepMs: 200 }, {});
      await call.ended;
      expect(call.of('notifications/progress')).not.toEqual([]);
      expect(await end()).toContain('took 12 steps');
      await waitFor(
        () =>
          session
            .of('notifications/tasks/status')
            .find(({ params }) => params?.['status'] === 'completed'),
        { what: 'the end is told' },
      );
      expect(session.of('notifications/progress')).toEqual([]);
    });
  });
});
