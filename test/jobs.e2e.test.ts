import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import type { WireClient } from '@longshore/testing/mcp';
import { ModernClient, SseClient } from '@longshore/testing/mcp';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { describeSchedules } from './support/describe-schedules.ts';
import { type LegacyStack, startLegacyStack, startTask } from './support/legacy-stack.ts';

const JOB_TOOLS = [
  ...['job_answer', 'job_cancel', 'job_list', 'job_result'],
  ...['job_retry', 'job_status', 'job_wait'],
];
const SCHEDULE_TOOLS = ['job_schedule', 'job_schedules', 'job_unschedule'];

interface ToolResult {
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}
/** A client of either era that knows nothing of tasks. */
type Call = (name: string, args?: object, token?: string) => Promise<ToolResult>;

const textOf = ({ content }: ToolResult): string => content.map(({ text }) => text).join('\n');

/** Long beside the time the server holds a call, short beside that of the test. */
const NARRATE = { steps: 20, stepMs: 100 };

function jobIdOf(result: ToolResult): string {
  const job = result.structuredContent?.['job'] as { task_id?: string } | undefined;
  if (job?.task_id === undefined) throw new Error(`no job but ${JSON.stringify(result)}`);
  return job.task_id;
}

/** What a model does: it waits until the job has ended. */
async function waited(call: Call, jobId: string): Promise<ToolResult> {
  return waitFor(
    async () => {
      const result = await call('job_wait', { task_id: jobId });
      return result.structuredContent?.['job'] === undefined ? result : null;
    },
    { what: 'the job has ended', timeoutMs: 40_000 },
  );
}

function jobs(mode: Mode): void {
  let legacy: LegacyStack;
  let client: WireClient;
  let modern: ModernClient;
  let legacyCall: Call;

  const callerOf =
    (wire: WireClient): Call =>
    async (name, args = {}, token) => {
      const meta = token === undefined ? {} : { _meta: { progressToken: token } };
      const result = await wire.result('tools/call', { name, arguments: args, ...meta });
      return result as unknown as ToolResult;
    };

  beforeAll(async () => {
    legacy = await startLegacyStack({
      mode,
      apis: 2,
      environment: {
        ANONYMOUS_PRINCIPAL: 'session',
        INLINE_WAIT_MS: '300',
        PROGRESS_INTERVAL_MS: '500',
        COMPAT_REQUIRED_TOOLS: 'inline',
        SSE_TRANSPORT: 'true',
      },
    });
    client = await legacy.newClient();
    legacyCall = callerOf(client);
    modern = new ModernClient(legacy.stack.urls);
  });
  afterAll(() => legacy.stack.stop());

  const modernCall: Call = async (name, args = {}, token) => {
    const meta = token === undefined ? {} : { meta: { progressToken: token } };
    return (await modern.result(
      'tools/call',
      { name, arguments: args },
      meta,
    )) as unknown as ToolResult;
  };

  it('are offered to clients that do not say they know tasks, those for schedules to all, in the order of names', async () => {
    const names = async (list: Promise<Record<string, unknown>>) =>
      ((await list)['tools'] as { name: string }[]).map(({ name }) => name);
    const own = (all: string[]) => all.filter((name) => name.startsWith('job_'));
    const plain = await names(client.result('tools/list'));
    const both = [...JOB_TOOLS, ...SCHEDULE_TOOLS].sort();
    expect(own(plain)).toEqual(both);
    expect(plain).toEqual([...plain].sort());
    const knowing = await legacy.newClient({ tasks: { list: {} } });
    expect(own(await names(knowing.result('tools/list')))).toEqual(SCHEDULE_TOOLS);
    expect(own(await names(modern.result('tools/list')))).toEqual(both);
    expect(own(await names(modern.withTasks().result('tools/list')))).toEqual(SCHEDULE_TOOLS);
  });

  it.each([
    ['2025-11-25', () => legacyCall],
    ['2026-07-28', () => modernCall],
  ] as const)('take over from a call that takes long: %s', async (_, caller) => {
    const call = caller();
    const handle = await call('narrate', NARRATE);
    const jobId = jobIdOf(handle);
    expect(textOf(handle)).toContain(`as job ${jobId}. Call job_wait {"task_id":"${jobId}"}`);
    expect(handle.isError).toBeUndefined();
    expect(jobIdOf(await call('job_status', { task_id: jobId }))).toBe(jobId);
    expect(textOf(await call('job_list'))).toContain(jobId);
    expect(textOf(await call('job_result', { task_id: jobId }))).toContain('is working');
    expect(textOf(await waited(call, jobId))).toBe(`took ${NARRATE.steps} steps`);
    expect(textOf(await call('job_status', { task_id: jobId }))).toContain('is completed');
    expect(textOf(await call('job_result', { task_id: jobId }))).toContain('took');
  });

  it('leave alone what is done in time, and calls with a progress token', async () => {
    const quick = await legacyCall('echo', { text: 'hi' });
    expect(quick.structuredContent).toEqual({ text: 'hi' });
    for (const call of [legacyCall, modernCall]) {
      expect(textOf(await call('narrate', NARRATE, 'p'))).toBe(`took ${NARRATE.steps} steps`);
    }
  });

  it('wait with progress for as long as it takes, when there is a progress token', async () => {
    const jobId = jobIdOf(await legacyCall('narrate', NARRATE, undefined));
    const { last, messages } = await client.request('tools/call', {
      name: 'job_wait',
      arguments: { task_id: jobId },
      _meta: { progressToken: 'w' },
    });
    expect(JSON.stringify(last.result)).toContain('took');
    const progress = messages.filter(({ method }) => method === 'notifications/progress');
    expect(progress.length).toBeGreaterThan(0);
    expect(progress.every(({ params }) => params?.['progressToken'] === 'w')).toBe(true);
  });

  it('tell what was told before anybody listened, a beat later', async () => {
    const jobId = jobIdOf(await legacyCall('hang'));
    await waitFor(
      async () => textOf(await legacyCall('job_status', { task_id: jobId })).includes('1 of 2'),
      { what: 'the row has the progress' },
    );
    const waiting = await client.open('tools/call', {
      name: 'job_wait',
      arguments: { task_id: jobId },
      _meta: { progressToken: 'late' },
    });
    const [first] = await waitFor(
      () => {
        const told = waiting.of('notifications/progress');
        return told.length > 0 ? told : null;
      },
      { what: 'the first beat' },
    );
    expect(first?.params).toMatchObject({ progress: 1, total: 2, message: 'hanging' });
    waiting.close();
    await legacyCall('job_cancel', { task_id: jobId });
  });

  it.each([
    ['2025-11-25', () => legacyCall],
    ['2026-07-28', () => modernCall],
  ] as const)('name the next call with its arguments, whatever comes: %s', async (_, caller) => {
    const call = caller();
    const id = jobIdOf(await call('hang'));
    // What a model reads, with the id as `ID`; it can make each call that is named as it stands.
    const said = async (name: string, args: object): Promise<string> =>
      textOf(await call(name, args)).replaceAll(id, 'ID');
    await waitFor(async () => (await said('job_status', { task_id: id })).includes('1 of 2'), {
      what: 'it hangs',
    });
    const hangs = 'ob ID (hang) is working, 1 of 2: hanging';
    const open =
      'Call job_wait {"task_id":"ID"} for the result, or go on with other work; job_cancel stops it.';
    expect(await said('job_status', { task_id: id })).toBe(`J${hangs}. ${open}`);
    expect(await said('job_result', { task_id: id })).toBe(`J${hangs}. ${open}`);
    expect(await said('job_wait', { task_id: id })).toBe(`J${hangs}. ${open}`);
    expect(await said('job_wait', { task_ids: [id] })).toBe(
      `J${hangs}.\nCall job_wait {"task_ids":["ID"]} to wait for the next, or go on with other work.`,
    );
    await call('job_cancel', { task_id: id });
    const over =
      'Job ID (hang) is cancelled, 1 of 2: hanging. Call job_result {"task_id":"ID"} for what it came to.';
    expect(await said('job_status', { task_id: id })).toBe(over);
    expect(await said('job_wait', { task_ids: [id] })).toBe(over);
    expect(await said('job_result', { task_id: id })).toBe(
      'Job ID (hang) is cancelled, 1 of 2: hanging: it has no result.',
    );
  });

  it('wait for the first of several that has ended or asks', async () => {
    const other = callerOf(await legacy.newClient({ elicitation: {} }));
    const [slow, quick] = [jobIdOf(await other('hang')), jobIdOf(await other('narrate', NARRATE))];
    const ended = await waitFor(
      async () => {
        const now = await other('job_wait', { task_ids: [slow, quick] });
        return textOf(now).includes('is completed') ? now : null;
      },
      { what: 'one has ended' },
    );
    expect(textOf(ended)).toContain(`Call job_result {"task_id":"${quick}"} for what it came to.`);
    expect(textOf(ended)).toContain(`Call job_wait {"task_ids":["${slow}"]}`);
    expect(ended.structuredContent?.['jobs']).toMatchObject([
      { task_id: slow, status: 'working' },
      { task_id: quick, status: 'completed' },
    ]);
    const asks = jobIdOf(await other('ask_form'));
    const asking = await waitFor(
      async () => {
        const now = textOf(await other('job_wait', { task_ids: [slow, asks] }));
        return now.includes('waits for an answer') ? now : null;
      },
      { what: 'one asks' },
    );
    expect(asking).toContain(`call job_status {"task_id":"${asks}"} for the question`);
    for (const id of [slow, asks]) await other('job_cancel', { task_id: id });
  });

  it('wait for the first of all that run, and of nobody else’s', async () => {
    const mine = callerOf(await legacy.newClient());
    const nothing = await mine('job_wait');
    expect(textOf(nothing)).toBe(
      'No job runs or asks. Call job_list {} for those that have ended.',
    );
    const slow = jobIdOf(await mine('hang'));
    const quick = jobIdOf(await mine('narrate', NARRATE));
    const foreign = jobIdOf(await legacyCall('narrate', NARRATE));
    const told = await mine('job_wait', {}, 'several');
    expect(told.structuredContent?.['jobs']).toMatchObject([
      { task_id: quick, status: 'completed' },
      { task_id: slow, status: 'working' },
    ]);
    expect(textOf(told)).toContain('Call job_wait {} to wait for the next');
    expect(textOf(told)).not.toContain(foreign);
    expect(textOf(await mine('job_list', { status: 'working' }))).toContain(slow);
    expect(textOf(await mine('job_list', { status: 'completed' }))).not.toContain(slow);
    expect(textOf(await mine('job_list', { status: 'failed' }))).toBe('No job is failed.');
    await mine('job_cancel', { task_id: slow });
  });

  it('wait for none of several when one is unknown, and say which', async () => {
    const own = jobIdOf(await legacyCall('hang'));
    const foreign = jobIdOf(await callerOf(await legacy.newClient())('hang'));
    const unknown = randomUUID();
    const refused = await legacyCall('job_wait', { task_ids: [own, foreign, unknown, 'x'] });
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      `There is no job ${foreign}, ${unknown}, x: unknown, expired, or of somebody else. Call job_list {} for the jobs there are.`,
    ]);
    for (const args of [{ task_id: own, task_ids: [own] }, { task_ids: [] }, { task_ids: 'x' }]) {
      expect((await legacyCall('job_wait', args)).isError).toBe(true);
    }
    await legacyCall('job_cancel', { task_id: own });
  });

  it('cancel, once and again', async () => {
    const jobId = jobIdOf(await legacyCall('hang'));
    const cancelled = await legacyCall('job_cancel', { task_id: jobId });
    expect(textOf(cancelled)).toMatch(/is cancelled[^y]*$/);
    expect(textOf(await legacyCall('job_cancel', { task_id: jobId }))).toContain('already');
    const wait = await legacyCall('job_wait', { task_id: jobId });
    expect([wait.isError, textOf(wait)]).toEqual([true, expect.stringContaining('no result')]);
  });

  it('answer a question', async () => {
    const asking = callerOf(await legacy.newClient({ elicitation: {} }));
    const jobId = jobIdOf(await asking('ask_form'));
    const status = await waitFor(
      async () => {
        const now = await asking('job_status', { task_id: jobId });
        return textOf(now).includes('Your name?') ? now : null;
      },
      { what: 'it asks' },
    );
    expect(textOf(status)).toContain('job_answer');
    // A wait ends with a question, which it can not answer.
    expect(textOf(await asking('job_wait', { task_id: jobId }))).toContain(
      `call job_status {"task_id":"${jobId}"}`,
    );
    const answer = { task_id: jobId, action: 'accept', content: { name: 'Ada' } };
    const unknown = await asking('job_answer', { ...answer, question: 'other' });
    expect(unknown.isError).toBe(true);
    expect(textOf(await asking('job_answer', answer))).toContain('Answered.');
    expect(textOf(await waited(asking, jobId))).toContain('Ada');
    expect((await asking('job_answer', answer)).isError).toBe(true);
  });

  it.each([
    ['2025-11-25', () => legacyCall],
    ['2026-07-28', () => modernCall],
  ])(
    'answer a question of a %s client that can not be asked, in place of a form',
    async (_, caller) => {
      const call = caller();
      for (const token of [undefined, 'p']) {
        // With and without progress: a call that asks in vain is a job at once.
        const jobId = jobIdOf(await call('ask_form', {}, token));
        expect(textOf(await call('job_status', { task_id: jobId }))).toContain('Your name?');
        const answer = { task_id: jobId, action: 'accept', content: { name: 'Ada' } };
        expect(textOf(await call('job_answer', answer))).toContain('Answered.');
        expect(textOf(await waited(call, jobId))).toContain('Ada');
      }
    },
  );

  it('give a long result in parts that make up the whole', async () => {
    const text = `${'é😀x'.repeat(9_000)}!`;
    const taskId = await startTask(client, 'repeat', { text });
    await waited(legacyCall, taskId).then(textOf);
    let whole = '';
    for (let offset: string | undefined = '0'; offset !== undefined; ) {
      const part: ToolResult = await legacyCall('job_result', {
        task_id: taskId,
        offset: Number(offset),
      });
      const [head, body] = part.content;
      // No character is cut in two.
      expect(body?.text).not.toMatch(/[\ud800-\udbff]$/);
      whole += body?.text ?? '';
      offset = /"offset":(\d+)\} for the next part/.exec(head?.text ?? '')?.[1];
    }
    expect(whole).toBe(text);
    const behind = await legacyCall('job_result', { task_id: taskId, offset: 10 ** 9 });
    expect(behind.isError).toBe(true);
  });

  it.each([
    ['2025-11-25', () => legacyCall],
    ['2026-07-28', () => modernCall],
  ] as const)(
    'run the call of a job again that has ended, as a job of its own: %s',
    async (_, caller) => {
      const call = caller();
      const open = jobIdOf(await call('hang'));
      const early = await call('job_retry', { task_id: open });
      await call('job_cancel', { task_id: open });
      expect([early.isError, textOf(early)]).toEqual([
        true,
        expect.stringContaining('has not ended, so there is nothing to run again'),
      ]);
      const first = jobIdOf(await call('narrate', { steps: 10, stepMs: 150 }));
      const result = await waited(call, first);
      const again = await call('job_retry', { task_id: first });
      const second = jobIdOf(again);
      expect(second).not.toBe(first);
      expect(textOf(again)).toContain(
        `The call of job ${first} (narrate) runs again, as job ${second}.`,
      );
      expect(again.structuredContent?.['retry_of']).toBe(first);
      expect(await waited(call, second)).toMatchObject({
        content: result.content,
        _meta: { 'dev.longshore/job': second },
      });
      // What ended is as it was.
      expect(await waited(call, first)).toEqual(result);
      await call('job_cancel', { task_id: jobIdOf(await call('job_retry', { task_id: second })) });
    },
  );

  it('run again what a client has that knows tasks', async () => {
    const knowing = modern.withTasks();
    const taskId = await knowing.startTask('echo', { text: 'once more' });
    await waited(modernCall, taskId);
    const retry = { name: 'job_retry', arguments: { task_id: taskId } };
    const again = (await knowing.result('tools/call', retry)) as unknown as ToolResult;
    const task = await waitFor(
      async () => {
        const now = await knowing.result('tasks/get', { taskId: jobIdOf(again) });
        return now['status'] === 'working' ? null : now;
      },
      { what: 'the new task has ended' },
    );
    expect(task).toMatchObject({ result: { structuredContent: { text: 'once more' } } });
  });

  it('run nothing again whose arguments do not fit', async () => {
    const taskId = await startTask(client, 'narrate', { steps: 'many' });
    const refused = await legacyCall('job_retry', { task_id: taskId });
    expect([refused.isError, textOf(refused)]).toEqual([
      true,
      expect.stringMatching(/can not be run again as it was called: .*steps/),
    ]);
  });

  it('know no difference between unknown, malformed and foreign jobs', async () => {
    const jobId = jobIdOf(await legacyCall('hang'));
    const stranger = callerOf(await legacy.newClient());
    for (const name of JOB_TOOLS.filter((tool) => tool !== 'job_list')) {
      const more = name === 'job_answer' ? { action: 'decline' } : {};
      const answers = await Promise.all(
        [jobId, '00000000-0000-4000-8000-000000000000', 'no id'].map((task_id) =>
          stranger(name, { task_id, ...more }),
        ),
      );
      const [foreign] = answers;
      expect(foreign?.isError).toBe(true);
      expect(answers).toEqual([foreign, foreign, foreign]);
    }
    expect(textOf(await stranger('job_list'))).toBe('There are no jobs.');
    expect(textOf(await legacyCall('job_status', { task_id: jobId }))).toContain('is working');
    await legacyCall('job_cancel', { task_id: jobId });
  });

  it('name the task by task_id, and understand job_id as well', async () => {
    const handle = await legacyCall('hang');
    const { job } = handle.structuredContent as { job: Readonly<Record<string, unknown>> };
    expect(Object.keys(job).filter((name) => name.endsWith('_id'))).toEqual(['task_id']);
    const { task_id: id } = job;
    for (const name of ['job_status', 'job_cancel']) {
      expect(jobIdOf(await legacyCall(name, { job_id: id }))).toBe(id);
    }
    const both = await legacyCall('job_status', { job_id: id, task_id: id });
    expect([both.isError, textOf(both)]).toEqual([true, expect.stringContaining('job_id')]);
  });

  it('say what is wrong with their arguments, and are no tasks', async () => {
    const wrong = await legacyCall('job_status', { id: 'x' });
    expect([wrong.isError, textOf(wrong)]).toEqual([true, expect.stringContaining('task_id')]);
    const error = await client.error('tools/call', {
      name: 'job_list',
      arguments: {},
      task: {},
    });
    expect(error.code).toBe(-32601);
  });

  describe('of a host of 2024-11-05', () => {
    const base = () => legacy.stack.urls[0] ?? '';
    const hosts: Client[] = [];
    afterEach(() => Promise.all(hosts.splice(0).map((host) => host.close())));
    const connect = async (): Promise<Client> => {
      const host = new Client({ name: 'sdk-v1', version: '1' });
      hosts.push(host);
      await host.connect(new SSEClientTransport(new URL('/sse', base())));
      return host;
    };
    const asResult = (result: unknown) => result as ToolResult;
    const stopped = () =>
      legacy.stack.workers.flatMap(({ lines }) =>
        lines.filter((line) => /hang.*attempt stopped|attempt stopped.*hang/.test(line)),
      ).length;

    it('are there beside results and progress', async () => {
      const host = await connect();
      expect(host.getServerCapabilities()).toMatchObject({ tools: {} });
      expect(host.getServerCapabilities()?.tasks).toBeUndefined();
      const { tools } = await host.listTools();
      const names = tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(JOB_TOOLS));
      const quick = await host.callTool({ name: 'echo', arguments: { text: 'hi' } });
      expect(asResult(quick).structuredContent).toEqual({ text: 'hi' });
      const told: number[] = [];
      const narrated = await host.callTool({ name: 'narrate', arguments: NARRATE }, undefined, {
        onprogress: ({ progress }) => told.push(progress),
      });
      expect(textOf(asResult(narrated))).toBe(`took ${NARRATE.steps} steps`);
      expect(told.length).toBeGreaterThan(1);
      expect(told).toEqual([...told].sort((a, b) => a - b));
    });

    it('take over from a call that takes long', async () => {
      const host = await connect();
      const call: Call = async (name, args = {}) =>
        asResult(await host.callTool({ name, arguments: { ...args } }));
      const jobId = jobIdOf(await call('narrate', NARRATE));
      expect(textOf(await waited(call, jobId))).toBe(`took ${NARRATE.steps} steps`);
      // What the next session of anybody finds is not this one's.
      const other = await connect();
      const seen = await other.callTool({ name: 'job_status', arguments: { task_id: jobId } });
      expect(asResult(seen).isError).toBe(true);
    });

    it('are not needed to withdraw a call', async () => {
      const host = await connect();
      const before = stopped();
      const abort = new AbortController();
      const call = host.callTool({ name: 'hang', arguments: {} }, undefined, {
        signal: abort.signal,
        onprogress: () => abort.abort('enough'),
      });
      await expect(call).rejects.toThrow('enough');
      await waitFor(() => stopped() > before, { what: 'the worker stopped the tool' });
      await expect(host.ping()).resolves.toEqual({});
    });

    it('come over a wire of that revision, to the process that has the stream', async () => {
      const stream = await SseClient.open(base());
      const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
      expect(await stream.request(1, 'tools/list')).toMatchObject({
        error: { code: expect.any(Number) },
      });
      expect(await stream.initialize('2025-11-25')).toMatchObject({
        result: { protocolVersion: '2024-11-05' },
      });
      const twice = { ...ping, method: 'initialize', params: {} };
      expect((await stream.post(twice)).status).toBe(400);
      expect(
        (await stream.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status,
      ).toBe(202);
      const unfit = { ...ping, method: 'tools/call', params: { name: 'echo', _meta: 7 } };
      expect((await stream.post(unfit)).status).toBe(400);
      expect(await stream.request(2, 'tools/call')).toMatchObject({
        error: { code: -32602 },
      });
      expect((await stream.post('no JSON')).status).toBe(400);
      expect(
        (await stream.post(ping, stream.endpoint, { origin: 'http://evil.example' })).status,
      ).toBe(403);
      const elsewhere = new URL(
        stream.endpoint.pathname + stream.endpoint.search,
        legacy.stack.urls[1],
      );
      const unknown = new URL(`/messages?sessionId=${randomUUID()}`, base());
      const answers = [];
      for (const to of [elsewhere, unknown, new URL('/messages', base())]) {
        const response = await stream.post(ping, to);
        answers.push([response.status, await response.json()]);
      }
      expect(answers[0]).toEqual([
        404,
        expect.objectContaining({
          error: expect.objectContaining({ data: { code: 'SESSION_NOT_FOUND' } }),
        }),
      ]);
      expect(answers).toEqual([answers[0], answers[0], answers[0]]);
      const { endpoint } = stream;
      expect((await fetch(endpoint)).status).toBe(405);
      stream.close();
      await waitFor(async () => (await stream.post(ping, endpoint)).status === 404, {
        what: 'the stream is gone, and its address with it',
      });
    });
  });

  it('stand in for tasks where a tool runs only as one', async () => {
    expect(textOf(await legacyCall('only_as_task'))).toBe('done as asked');
    expect(textOf(await modernCall('only_as_task'))).toBe('done as asked');
  });

  describeSchedules(() => legacy);

  it('do not keep a server that stops from answering hosts of 2024-11-05', async () => {
    const url = await legacy.stack.startApi({ SHUTDOWN_GRACE_MS: '20000' });
    const api = legacy.stack.apis.at(-1);
    const stream = await SseClient.open(url);
    await stream.initialize();
    const call = { name: 'narrate', arguments: NARRATE, _meta: { progressToken: 'p' } };
    const answer = stream.request(1, 'tools/call', call);
    await waitFor(() => stream.messages.some(({ method }) => method !== undefined), {
      what: 'the tool runs',
    });
    const exit = api?.kill('SIGTERM');
    expect(await answer).toMatchObject({ result: { content: [{ text: 'took 20 steps' }] } });
    await stream.ended;
    expect(await exit).toEqual({ code: 0, signal: null });
  });
}

describeInMode('job tools', 'redis', jobs);
