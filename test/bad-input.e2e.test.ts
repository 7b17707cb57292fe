import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { readAnswer, WireClient } from '@longshore/testing/mcp';
import { FIXTURE_TOOLS, RESULT_TOOLS, type Stack, startStack } from './support/stack.ts';

describe('bad input', () => {
  let stack: Stack;
  let client: WireClient;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      environment: {
        MAX_BODY_BYTES: '4096',
        MAX_TTL_MS: '90000000',
        PLUGINS: `${FIXTURE_TOOLS},${RESULT_TOOLS}`,
      },
    });
    client = new WireClient(...stack.urls);
    await client.initialize();
    await waitFor(async () => JSON.stringify(await client.result('tools/list')).includes('echo'), {
      what: 'the catalogue is there',
    });
  });
  afterAll(() => stack.stop());

  /** Status, JSON-RPC code and message of the answer to a body sent as it is. */
  const send = async (body: unknown, headers: Record<string, string> = {}) => {
    const { status, last } = await readAnswer(await client.post(body, { headers }));
    return { status, id: last.id, code: last.error?.code, message: last.error?.message ?? '' };
  };
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

  it.each([
    ['malformed JSON', '{"jsonrpc":', 400, -32700],
    ['an empty body', '', 400, -32600],
    ['a batch', [ping], 400, -32600],
    ['a number', '17', 400, -32600],
    ['null', 'null', 400, -32600],
    ['a null id', { ...ping, id: null }, 400, -32600],
    ['no JSON-RPC version', { id: 1, method: 'ping' }, 400, -32600],
    ['a body over the limit', { ...ping, params: { pad: 'x'.repeat(5_000) } }, 413, -32600],
  ])('%s is refused', async (_what, body, status, code) => {
    const answer = await send(body);
    expect(answer).toMatchObject({ status, code });
    expect(answer.message.length).toBeGreaterThan(10);
  });

  it('a body that is not compressed as it says is refused', async () => {
    expect(await send(ping, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      code: -32700,
    });
  });

  it('JSON may be nested 128 levels deep, and no deeper', async () => {
    const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    // The message and its params are two levels.
    const deep = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"deep":${nested(levels - 2)}}}`;
    expect(await send(deep(128))).toMatchObject({ status: 200 });
    expect(await send(deep(129))).toMatchObject({ status: 400, code: -32600, id: 1 });
    expect(await send(deep(1_900))).toMatchObject({ status: 400, code: -32600, id: 1 });
  });

  it.each([
    ['a byte that begins nothing', Buffer.from([0xff])],
    ['half a character', Buffer.from([0xc3, 0x28])],
    ['a surrogate', Buffer.from([0xed, 0xa0, 0x80])],
    ['a character in too many bytes', Buffer.from([0xc0, 0xaf])],
  ])('text that is no UTF-8, with %s, is refused rather than replaced', async (_what, bytes) => {
    const around = JSON.stringify({ ...ping, params: { text: '@' } }).split('@');
    const body = Buffer.concat([Buffer.from(around[0] ?? ''), bytes, Buffer.from(around[1] ?? '')]);
    expect(await send(body)).toMatchObject({ status: 400, code: -32700 });
    expect(await send(gzipSync(body), { 'content-encoding': 'gzip' })).toMatchObject({
      status: 400,
      code: -32700,
    });
  });

  it('JSON in UTF-16 is refused, which MCP has no place for', async () => {
    const body = Buffer.from(JSON.stringify(ping), 'utf16le');
    const headers = { 'content-type': 'application/json; charset=utf-16le' };
    expect(await send(body, headers)).toMatchObject({ status: 400, code: -32700 });
  });

  it('another content type is refused', async () => {
    expect(await send(ping, { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      code: -32600,
    });
  });

  it('an Accept header that admits no answer is refused', async () => {
    expect(await send(ping, { accept: 'text/html' })).toMatchObject({
      status: 406,
      code: -32600,
      id: 1,
    });
  });

  it('a foreign Origin or Host is refused', async () => {
    expect(await send(ping, { origin: 'https://evil.example' })).toMatchObject({ status: 403 });
    expect(await send(ping, { origin: 'http://localhost:5173' })).toMatchObject({ status: 200 });
    expect(await rawStatus(stack.urls[0] ?? '', 'evil.example')).toBe(403);
    expect(await rawStatus(stack.urls[0] ?? '', '127.0.0.1')).not.toBe(403);
  });

  it.each([
    '/%',
    '/tasks/%',
    '/tasks/%E0%A4%A/result',
    '/tasks/f47ac10b-58cc-4372-a567-0e02b2c3d479/files/%',
    '/tasks/f47ac10b-58cc-4372-a567-0e02b2c3d479/files/%C0%AF',
    '/tasks/f47ac10b-58cc-4372-a567-0e02b2c3d479/items.csv?key=%',
    '/.well-known/oauth-protected-resource/%',
    '/mcp/%',
    '//%',
    'http://[/tasks/%',
  ])('%s is no path to anything, and says no more to other hosts', async (path) => {
    const url = stack.urls[0] ?? '';
    expect([400, 404]).toContain(await rawStatus(url, '127.0.0.1', path));
    const isGuarded = path.startsWith('/tasks/');
    expect(await rawStatus(url, 'evil.example', path)).toBe(isGuarded ? 403 : 404);
    expect(stack.apis[0]?.logs()).not.toContain('request failed');
  });

  it('an unknown protocol version is refused', async () => {
    expect(await send(ping, { 'mcp-protocol-version': '1999-01-01' })).toMatchObject({
      status: 400,
      code: -32022,
    });
  });

  it('a missing session is 400, an unknown one 404', async () => {
    const stranger = new WireClient(...stack.urls);
    expect(await readAnswer(await stranger.post(ping))).toMatchObject({ status: 400 });
    for (const id of ['nonsense', 'f47ac10b-58cc-4372-a567-0e02b2c3d479']) {
      const answer = await readAnswer(
        await stranger.post(ping, { headers: { 'mcp-session-id': id } }),
      );
      expect(answer).toMatchObject({ status: 404, last: { error: { code: -32001 }, id: 1 } });
    }
  });

  it.each([
    ['method', 'tools/nonsense', {}, -32601],
    ['tool', 'tools/call', { name: 'nonsense', arguments: {} }, -32602],
    ['task', 'tasks/get', { taskId: 'nonsense' }, -32602],
    ['cursor of tasks/list', 'tasks/list', { cursor: 'nonsense' }, -32602],
    ['cursor of tools/list', 'tools/list', { cursor: 'nonsense' }, -32602],
  ])('an unknown %s is said so', async (_what, method, params, code) => {
    expect(await client.error(method, params)).toMatchObject({ code });
  });

  it.each([
    ['no name', { arguments: {} }],
    ['a name that is no string', { name: 7 }],
    ['arguments that are no object', { name: 'echo', arguments: [] }],
    ['a task that is no object', { name: 'echo', task: true }],
    ['a ttl that is no number', { name: 'echo', task: { ttl: '60000' } }],
    ['a negative ttl', { name: 'echo', task: { ttl: -1 } }],
    ['a ttl of 0', { name: 'echo', task: { ttl: 0 } }],
    ['a progressToken that is true', { name: 'echo', _meta: { progressToken: true } }],
    ['a fractional progressToken', { name: 'echo', _meta: { progressToken: 1.5 } }],
  ])('tools/call with %s is -32602', async (_what, params) => {
    expect(await client.error('tools/call', params)).toMatchObject({ code: -32602 });
  });

  it('a huge ttl is cut to the longest', async () => {
    const result = await client.result('tools/call', {
      name: 'echo',
      arguments: { text: 'x' },
      task: { ttl: 1e300 },
    });
    expect(result).toMatchObject({ task: { ttl: 90_000_000 } });
  });

  it('a task for a tool that has none, and a call for one that needs one, are -32601', async () => {
    expect(await client.error('tools/call', { name: 'never_task', task: {} })).toMatchObject({
      code: -32601,
    });
    expect(await client.error('tools/call', { name: 'task_only' })).toMatchObject({ code: -32601 });
  });

  describe('text with NUL', () => {
    const text = 'a\0b';

    it('is kept: in arguments, logs, questions, answers, checkpoints, results and errors', async () => {
      const asked = new WireClient(...stack.urls);
      await asked.initialize('2025-11-25', { elicitation: {} });
      const task = async (args: object): Promise<string> => {
        const call = { name: 'keeper', arguments: { text, ...args }, task: {} };
        const { task: created } = await asked.result('tools/call', call);
        return (created as { taskId: string }).taskId;
      };
      const taskId = await task({});
      const stream = await asked.open('tasks/result', { taskId });
      const question = await waitFor(() => stream.questions[0], { what: 'it asks' });
      expect(question.params).toMatchObject({ message: text });
      // A line for people is a column of text; it is saved with the next heartbeat.
      const status = await waitFor(
        async () => (await asked.result('tasks/get', { taskId }))['statusMessage'],
        { what: 'the status is saved' },
      );
      expect(status).toBe('a\\u0000b');
      expect(await asked.respond(question, { action: 'accept', content: { text } })).toBe(202);
      await stream.ended;
      expect(stream.answer?.result).toMatchObject({
        structuredContent: { text, kept: { [text]: text }, answer: { text } },
      });
      const logged = stream.messages.filter(({ method }) => method === 'notifications/message');
      expect(JSON.stringify(logged)).toContain('a\\u0000b');
      const failed = await task({ fail: true });
      const { last } = await asked.request('tasks/result', { taskId: failed });
      expect(last.result).toMatchObject({ isError: true, content: [{ text }] });
      expect(await asked.result('tasks/get', { taskId: failed })).toMatchObject({
        statusMessage: 'a\\u0000b',
      });
    });

    it('is kept in the items of batches, and in why they failed', async () => {
      const batch = async (name: string, args: object): Promise<string> => {
        const call = { name, arguments: args, task: {} };
        const { task } = await client.result('tools/call', call);
        const { taskId } = task as { taskId: string };
        await client.result('tasks/result', { taskId });
        return taskId;
      };
      const entries = async (taskId: string): Promise<unknown> => {
        const uri = `longshore://tasks/${taskId}/items`;
        const { contents } = await client.result('resources/read', { uri });
        return JSON.parse((contents as { text: string }[])[0]?.text ?? '');
      };
      const echoed = await batch('batch', {
        tool: 'echo',
        items: [{ text }, { text }],
        result_mode: 'all',
      });
      expect(await entries(echoed)).toMatchObject([
        { index: 0, ok: true, value: { text } },
        { index: 1, ok: true, value: { text } },
      ]);
      const failed = await batch('batch', { tool: 'fail', items: [{ message: text }] });
      const again = await batch('retry_failed', { task_id: failed });
      for (const taskId of [failed, again]) {
        expect(await entries(taskId)).toMatchObject([{ index: 0, error: { message: text } }]);
      }
    });
  });

  it('a malformed withdrawal and an unknown notification are taken and ignored', async () => {
    expect((await client.notify('notifications/cancelled', { requestId: null })).status).toBe(202);
    expect((await client.notify('notifications/cancelled', { requestId: 'never' })).status).toBe(
      202,
    );
    expect((await client.notify('notifications/nonsense', {})).status).toBe(202);
  });

  it('other HTTP methods and paths have their answers', async () => {
    const url = stack.urls[0] ?? '';
    expect((await fetch(url, { method: 'PUT' })).status).toBe(405);
    // The transport of 2024-11-05 is off unless it is asked for.
    for (const path of ['/nonsense', '/sse', '/messages?sessionId=x']) {
      expect([path, (await fetch(new URL(path, url))).status]).toEqual([path, 404]);
    }
    expect((await fetch(url, { headers: { accept: 'text/event-stream' } })).status).toBe(400);
    expect((await fetch(new URL('/healthz', url))).status).toBe(200);
    expect((await fetch(new URL('/readyz', url))).status).toBe(200);
  });
});

/** Sends a GET with any Host header and path, which fetch does not allow. */
function rawStatus(url: string, host: string, path = '/mcp'): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\nConnection: close\r\n\r\n`,
      );
    });
    socket.once('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]));
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
