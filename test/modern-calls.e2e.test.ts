import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import type { WireMessage } from '@longshore/testing/mcp';
import { META, ModernClient } from '@longshore/testing/mcp';
import { startModernStack } from './support/modern-stack.ts';
import type { Stack } from './support/stack.ts';

type Json = Record<string, unknown>;

const accept = (content: Json): Json => ({ action: 'accept', content });

/** Calls that get no task, over two replicas that take turns. */
function modernCalls(mode: Mode): void {
  let stack: Stack;
  let plain: ModernClient;
  /** Can be asked anything, and knows no tasks. */
  let client: ModernClient;

  beforeAll(async () => {
    const started = await startModernStack({
      mode,
      apis: 2,
      environment: { RESULT_INLINE_BYTES: '16777216' },
    });
    stack = started.stack;
    plain = started.client;
    client = plain.declaring({ elicitation: {}, sampling: {}, roots: {} });
  });
  afterAll(() => stack.stop());

  const call = (name: string, args: Json = {}, more: Json = {}) =>
    client.result('tools/call', { name, arguments: args, ...more });
  /** Waits until the worker has said this of a tool so many times. */
  const worker = (what: 'started' | 'stopped', tool: string, times: number) =>
    waitFor(
      () =>
        stack.workers[0]?.lines.filter(
          (line) => line.includes(`"${tool}"`) && line.includes(`attempt ${what}`),
        ).length === times,
      { what: `${tool} ${what} ${times} times` },
    );

  describe('what the server says about itself', () => {
    it('is the same on both replicas, with tasks as an extension', async () => {
      const [one, other] = await Promise.all([
        plain.result('server/discover', {}, { replica: 0 }),
        plain.result('server/discover', {}, { replica: 1 }),
      ]);
      expect(one).toEqual(other);
      expect(one).toMatchObject({
        resultType: 'complete',
        supportedVersions: expect.arrayContaining(['2026-07-28', '2025-11-25']),
        capabilities: {
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          completions: {},
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        },
        ttlMs: expect.any(Number),
        cacheScope: 'public',
        _meta: { [META.serverInfo]: { name: 'longshore', version: expect.any(String) } },
      });
      expect(one['capabilities']).not.toHaveProperty('tasks');
    });

    it('lists come in one order, with hints for caches, and without task support', async () => {
      const [one, other] = [await plain.result('tools/list'), await plain.result('tools/list')];
      expect(one).toEqual(other);
      const tools = one['tools'] as { name: string }[];
      expect(tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name).sort());
      expect(JSON.stringify(tools)).not.toContain('taskSupport');
      for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) {
        expect(await plain.result(`${list}/list`)).toMatchObject({
          resultType: 'complete',
          ttlMs: expect.any(Number),
          // Which tools a client is shown depends on what it declares.
          cacheScope: list === 'tools' ? 'private' : 'public',
          _meta: { [META.serverInfo]: { name: 'longshore' } },
        });
      }
    });
  });

  describe('a call', () => {
    it('that is done soon is plain JSON', async () => {
      // Soon is a quarter of a second, which a busy machine may miss.
      const answer = await waitFor(
        async () => {
          const params = { name: 'greet', arguments: { name: 'x' } };
          const { contentType, last } = await client.request('tools/call', params);
          return contentType.includes('application/json') ? last : undefined;
        },
        { what: 'an answer comes as JSON' },
      );
      expect(answer.result).toMatchObject({
        resultType: 'complete',
        content: [{ text: 'Hello, x!' }],
        _meta: { [META.serverInfo]: { name: 'longshore' } },
      });
    });

    it('that takes time is a stream, without ids, with progress for who wants it', async () => {
      const request = client.build(
        'tools/call',
        { name: 'steps', arguments: { steps: 4, stepMs: 200 } },
        { progressToken: 'p' },
      );
      const response = await client.post(request);
      expect(response.headers.get('x-accel-buffering')).toBe('no');
      const text = await response.text();
      expect(text).not.toMatch(/^id:/m);
      const messages = text
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => JSON.parse(line.slice(5)) as WireMessage);
      const values = messages
        .filter((message) => message.method === 'notifications/progress')
        .map((message) => Number(message.params?.['progress']));
      expect(values.length).toBeGreaterThan(0);
      expect(values).toEqual([...new Set(values)].sort((a, b) => a - b));
      expect(messages.at(-1)?.result).toMatchObject({ structuredContent: { attempt: 1 } });
      const silent = await client.request('tools/call', {
        name: 'steps',
        arguments: { steps: 4, stepMs: 150 },
      });
      expect(silent.contentType).toContain('text/event-stream');
      expect(silent.messages).toHaveLength(1);
    });

    it('logs from the level that it names, in order, before its answer; and nothing without one', async () => {
      const logged = async (level: string | null) => {
        const { messages } = await client.request(
          'tools/call',
          { name: 'logs', arguments: {} },
          level === null ? {} : { meta: { [META.logLevel]: level } },
        );
        expect(messages.at(-1)?.result).toMatchObject({ content: [{ text: 'logged' }] });
        return messages
          .filter((message) => message.method === 'notifications/message')
          .map(({ params }) => [params?.['level'], JSON.stringify(params?.['data'])]);
      };
      expect((await logged('debug')).map(([level]) => level)).toEqual(['debug', 'info', 'warning']);
      expect((await logged('warning')).map(([level]) => level)).toEqual(['warning']);
      expect(await logged(null)).toEqual([]);
    });

    it('that fails is a result, and one that is refused an error', async () => {
      expect(await call('fail', { message: 'no' })).toMatchObject({
        resultType: 'complete',
        isError: true,
      });
      const { last } = await client.request('tools/call', { name: 'refuse_late', arguments: {} });
      expect(last.error).toMatchObject({ code: 4_001, data: { reason: 'test' } });
    });

    it('has a result of any size that is to be sent whole, also on a stream', async () => {
      const { contentType, last } = await client.request('tools/call', {
        name: 'big',
        arguments: { bytes: 3_000_000, delayMs: 400 },
      });
      expect(contentType).toContain('text/event-stream');
      expect(last.result).toMatchObject({ content: [{ text: 'x'.repeat(3_000_000) }] });
    });

    it('ends with its connection: the tool stops, whatever the answer would have been', async () => {
      const stream = await client.open(
        'tools/call',
        { name: 'hang', arguments: {} },
        { meta: { progressToken: 1 } },
      );
      await waitFor(() => stream.messages.length > 0, { what: 'it runs' });
      stream.close();
      await worker('stopped', 'hang', 1);
    });

    it('ends with its connection also before anything was answered', async () => {
      const abort = new AbortController();
      const request = client.build('tools/call', { name: 'hang', arguments: {} });
      const sent = client.post(request, { signal: abort.signal }).catch((error: unknown) => error);
      await worker('started', 'hang', 2);
      abort.abort();
      await sent;
      await worker('stopped', 'hang', 2);
    });
  });

  describe('a call that asks', () => {
    it('is answered with the question, and goes on at another replica', async () => {
      const asked = await client.result(
        'tools/call',
        { name: 'ask_name', arguments: {} },
        { replica: 0 },
      );
      expect(asked).toMatchObject({
        resultType: 'input_required',
        inputRequests: {
          user_name: {
            method: 'elicitation/create',
            params: { message: 'Your name?', requestedSchema: { type: 'object' } },
          },
        },
        requestState: expect.any(String),
      });
      for (const member of ['taskId', 'content', 'ttlMs']) expect(asked).not.toHaveProperty(member);
      const done = await client.result(
        'tools/call',
        {
          name: 'ask_name',
          arguments: {},
          inputResponses: { user_name: accept({ name: 'Alice', extra: 1 }), unknown: {} },
          requestState: asked['requestState'],
        },
        { replica: 1 },
      );
      expect(done).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Alice!' }] });
      expect(done).not.toHaveProperty('requestState');
    });

    it('asks as often as its tool does', async () => {
      const first = await call('ask_twice');
      expect(Object.keys(first['inputRequests'] as Json)).toEqual(['who']);
      const second = await call(
        'ask_twice',
        {},
        {
          inputResponses: { who: accept({ name: 'Bob' }) },
          requestState: first['requestState'],
        },
      );
      expect(Object.keys(second['inputRequests'] as Json)).toEqual(['color']);
      const done = await call(
        'ask_twice',
        {},
        {
          inputResponses: { color: accept({ color: 'blue' }) },
          requestState: second['requestState'],
        },
      );
      expect(done).toMatchObject({ content: [{ text: 'Bob likes blue' }] });
    });

    it('asks again for what is missing, with the same key', async () => {
      const first = await call('ask_both');
      const { requestState } = first;
      expect(Object.keys(first['inputRequests'] as Json)).toEqual(['left', 'right']);
      const none = await call('ask_both', {}, { inputResponses: { other: {} }, requestState });
      expect(none['inputRequests']).toEqual(first['inputRequests']);
      const half = await call(
        'ask_both',
        {},
        {
          inputResponses: { right: accept({ sure: false }) },
          requestState: none['requestState'],
        },
      );
      expect(Object.keys(half['inputRequests'] as Json)).toEqual(['left']);
      const done = await call(
        'ask_both',
        {},
        {
          inputResponses: { left: accept({ name: 'L' }), right: accept({ sure: true }) },
          requestState: half['requestState'],
        },
      );
      // What was answered stays answered.
      expect(done).toMatchObject({ content: [{ text: 'L, false' }] });
    });

    it('takes answers that come with the first round', async () => {
      expect(
        await call('ask_name', {}, { inputResponses: { user_name: accept({ name: 'Early' }) } }),
      ).toMatchObject({ resultType: 'complete', content: [{ text: 'Hello, Early!' }] });
      expect(
        await call('ask_name', {}, { inputResponses: { wrong_key: accept({ name: 'Early' }) } }),
      ).toMatchObject({ resultType: 'input_required' });
    });

    it('asks again when an answer does not fit', async () => {
      const again = await call('ask_name', {}, { inputResponses: { user_name: 12345 } });
      expect(again).toMatchObject({ resultType: 'input_required' });
      const [key] = Object.keys(again['inputRequests'] as Json);
      expect(key).not.toBe('user_name');
      const done = await call(
        'ask_name',
        {},
        {
          inputResponses: { [key ?? '']: { action: 'decline' } },
          requestState: again['requestState'],
        },
      );
      expect(done).toMatchObject({ content: [{ text: 'decline' }] });
    });

    it('gives its result again to who comes again, and takes no second answer', async () => {
      const { requestState } = await call('ask_name');
      const answer = (name: string) =>
        call('ask_name', {}, { inputResponses: { user_name: accept({ name }) }, requestState });
      const first = await answer('first');
      expect(await answer('second')).toEqual(first);
    });

    it('is refused with a requestState that is bent, or of another request', async () => {
      const { requestState } = await call('ask_name', { greeting: 'Hi' });
      const inputResponses = { user_name: accept({ name: 'Eve' }) };
      const refused = (params: Json) =>
        client.error('tools/call', { inputResponses, requestState, ...params });
      const ok = { name: 'ask_name', arguments: { greeting: 'Hi' } };
      for (const params of [
        { ...ok, requestState: `${String(requestState)}-TAMPERED` },
        { ...ok, requestState: '' },
        { ...ok, arguments: { greeting: 'Bye' } },
        { name: 'ask_twice', arguments: { greeting: 'Hi' } },
      ]) {
        expect(await refused(params)).toMatchObject({
          status: 200,
          code: -32602,
          data: { code: 'INVALID_REQUEST_STATE' },
        });
      }
      // None of that was taken for an answer.
      expect(
        await call('ask_name', { greeting: 'Hi' }, { inputResponses, requestState }),
      ).toMatchObject({ content: [{ text: 'Hi, Eve!' }] });
    });

    it('ends when nobody answers in time', async () => {
      const { requestState } = await call('ask_soon', { timeoutMs: 300 });
      await waitFor(
        async () => {
          const { content } = await call('ask_soon', { timeoutMs: 300 }, { requestState });
          return JSON.stringify(content ?? '').includes('nobody: timeout');
        },
        { what: 'the tool went on without an answer' },
      );
    });

    it('does not ask what the client did not declare, nor its model where there are no jobs', async () => {
      const strict = new ModernClient([await stack.startApi({ JOB_TOOLS: 'never' })]);
      await waitFor(
        async () => JSON.stringify(await strict.result('tools/list')).includes('ask_name'),
        { what: 'the catalogue is there' },
      );
      const answer = await strict.result('tools/call', { name: 'ask_name', arguments: {} });
      expect(answer).toMatchObject({ resultType: 'complete', isError: true });
      const { requestState } = await call('ask_name');
      expect(
        await strict.error('tools/call', { name: 'ask_name', arguments: {}, requestState }),
      ).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { elicitation: {} } },
      });
    });

    it('stops when the second round’s connection closes', async () => {
      const { requestState } = await call('ask_then_hang');
      const stream = await client.open('tools/call', {
        name: 'ask_then_hang',
        arguments: {},
        inputResponses: { user_name: accept({ name: 'x' }) },
        requestState,
      });
      stream.close();
      await worker('stopped', 'ask_then_hang', 1);
    });

    it('may be a prompt or a resource as well, and nothing else', async () => {
      const prompt = await client.result('prompts/get', { name: 'ask_prompt' });
      expect(prompt).toMatchObject({
        resultType: 'input_required',
        inputRequests: { user_context: { method: 'elicitation/create' } },
      });
      expect(
        await client.result('prompts/get', {
          name: 'ask_prompt',
          inputResponses: { user_context: accept({ context: 'rain' }) },
          requestState: prompt['requestState'],
        }),
      ).toMatchObject({
        resultType: 'complete',
        messages: [{ role: 'user', content: { text: 'Context: rain' } }],
      });
      const resource = await client.result('resources/read', { uri: 'test://asked' });
      expect(resource).toMatchObject({ resultType: 'input_required' });
      expect(resource).not.toHaveProperty('ttlMs');
      expect(
        await client.result('resources/read', {
          uri: 'test://asked',
          inputResponses: { whose: accept({ name: 'Ann' }) },
          requestState: resource['requestState'],
        }),
      ).toMatchObject({
        resultType: 'complete',
        contents: [{ uri: 'test://asked', text: 'of Ann' }],
        ttlMs: 0,
        cacheScope: 'private',
      });
    });
  });

  describe('a tool that asks before its task is made', () => {
    it('asks in the call, then becomes a task that knows the answer', async () => {
      const own = client.withTasks({ elicitation: {} });
      const asked = await own.result('tools/call', { name: 'ask_first', arguments: {} });
      expect(asked).toMatchObject({
        resultType: 'input_required',
        inputRequests: { user_name: { method: 'elicitation/create' } },
      });
      expect(asked).not.toHaveProperty('taskId');
      const params = {
        name: 'ask_first',
        arguments: {},
        inputResponses: { user_name: accept({ name: 'Alice' }) },
        requestState: asked['requestState'],
      };
      const created = await own.result('tools/call', params);
      expect(created).toMatchObject({ resultType: 'task', taskId: expect.any(String) });
      expect(created).not.toHaveProperty('requestState');
      expect(created).not.toHaveProperty('inputRequests');
      // Its answer may have been lost: coming again gives the same task.
      expect(await own.result('tools/call', params)).toMatchObject({ taskId: created['taskId'] });
      const done = await waitFor(
        async () => {
          const task = await own.result('tasks/get', { taskId: created['taskId'] });
          return task['status'] === 'completed' ? task : undefined;
        },
        { what: 'it is done' },
      );
      expect(done).toMatchObject({ result: { content: [{ text: 'done for Alice' }] } });
    });

    it('gives its result when it is there before any question', async () => {
      expect(
        await client
          .withTasks({ elicitation: {} })
          .result('tools/call', { name: 'ask_first', arguments: { ask: false } }),
      ).toMatchObject({ resultType: 'complete', content: [{ text: 'done for nobody' }] });
    });

    it('becomes a task when it does not ask for a while', async () => {
      const own = client.withTasks({ elicitation: {} });
      const created = await own.result('tools/call', {
        name: 'ask_first',
        arguments: { ask: false, workMs: 60_000 },
      });
      expect(created).toMatchObject({ resultType: 'task', status: 'working' });
      await own.result('tasks/cancel', { taskId: created['taskId'] });
    });
  });

  it('a stopping server answers what it holds open', async () => {
    const own = client.at(await stack.startApi());
    const held = await own.open(
      'tools/call',
      { name: 'hang', arguments: {} },
      { meta: { progressToken: 1 } },
    );
    await waitFor(() => held.messages.length > 0, { what: 'it runs' });
    const exit = await stack.apis.at(-1)?.kill('SIGTERM');
    await held.ended;
    expect(exit?.code).toBe(0);
    expect(held.messages.at(-1)?.error).toMatchObject({
      code: -32603,
      data: { code: 'SHUTTING_DOWN', retryable: true },
    });
  });
}

describeInMode('calls of 2026-07-28', 'redis', modernCalls);
