import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  META,
  type ModernClient,
  type ModernRequest,
  readAnswer,
  TASKS,
} from '@longshore/testing/mcp';
import { startModernStack } from './support/modern-stack.ts';
import type { Stack } from './support/stack.ts';

const UNKNOWN_TASK = 'f47ac10b-58cc-4372-a567-0e02b2c3d479';

type Json = Record<string, unknown>;
type Bend = (request: ModernRequest) => { body?: Json; headers?: Record<string, string> };

/** A request whose `_meta` lacks these keys. */
const without =
  (...keys: string[]): Bend =>
  ({ body }) => {
    const { _meta, ...params } = body['params'] as { _meta: Json };
    const meta = Object.fromEntries(Object.entries(_meta).filter(([key]) => !keys.includes(key)));
    return { body: { ...body, params: { ...params, _meta: meta } } };
  };

const withMeta =
  (more: Json): Bend =>
  ({ body }) => {
    const params = body['params'] as { _meta: Json };
    return { body: { ...body, params: { ...params, _meta: { ...params._meta, ...more } } } };
  };

const withHeaders =
  (headers: Record<string, string | null>): Bend =>
  (request) => ({
    headers: Object.fromEntries(
      Object.entries({ ...request.headers, ...headers }).filter(
        (entry): entry is [string, string] => entry[1] !== null,
      ),
    ),
  });

const both =
  (first: Bend, second: Bend): Bend =>
  (request) => {
    const bent = { ...request, ...first(request) };
    return { ...bent, ...second(bent) };
  };

/** Every refusal of 2026-07-28, with JSON-RPC code and HTTP status. */
describe('2026-07-28: what is refused, and how', () => {
  let stack: Stack;
  let client: ModernClient;

  beforeAll(async () => {
    ({ stack, client } = await startModernStack({ mode: 'postgres' }));
  });
  afterAll(() => stack.stop());

  const send = async (request: ModernRequest) => {
    const response = await client.post(request);
    const answer = await readAnswer(response);
    return {
      status: answer.status,
      id: answer.last.id,
      code: answer.last.error?.code,
      data: answer.last.error?.data,
      expected: request.body['id'],
      contentType: answer.contentType,
      headers: response.headers,
    };
  };
  const bent = (method: string, params: Json, bend: Bend) => {
    const request = client.build(method, params);
    return send({ ...request, ...bend(request) });
  };

  it.each<[string, Bend, number, number]>([
    ['no _meta at all', ({ body }) => ({ body: { ...body, params: {} } }), 400, -32602],
    ['no params at all', ({ body: { params: _, ...body } }) => ({ body }), 400, -32602],
    ['no protocolVersion', without(META.version), 400, -32602],
    ['no clientCapabilities', without(META.capabilities), 400, -32602],
    ['a protocolVersion that is no string', withMeta({ [META.version]: 7 }), 400, -32602],
    ['clientCapabilities that are no object', withMeta({ [META.capabilities]: [] }), 400, -32602],
    ['an unknown log level', withMeta({ [META.logLevel]: 'loud' }), 400, -32602],
    ['a progressToken that is an object', withMeta({ progressToken: {} }), 400, -32602],
    ['no version header', withHeaders({ 'mcp-protocol-version': null }), 400, -32020],
    ['another version header', withHeaders({ 'mcp-protocol-version': '2025-11-25' }), 400, -32020],
    ['another version in the body', withMeta({ [META.version]: 'v999.0.0' }), 400, -32020],
    [
      'an unknown version in both',
      both(
        withMeta({ [META.version]: 'v999.0.0' }),
        withHeaders({ 'mcp-protocol-version': 'v999.0.0' }),
      ),
      400,
      -32022,
    ],
    [
      'a legacy version in both',
      both(
        withMeta({ [META.version]: '2025-11-25' }),
        withHeaders({ 'mcp-protocol-version': '2025-11-25' }),
      ),
      400,
      -32022,
    ],
    ['no Mcp-Method', withHeaders({ 'mcp-method': null }), 400, -32020],
    ['another Mcp-Method', withHeaders({ 'mcp-method': 'prompts/list' }), 400, -32020],
    ['Mcp-Method in capitals', withHeaders({ 'mcp-method': 'TOOLS/CALL' }), 400, -32020],
    ['no Mcp-Name', withHeaders({ 'mcp-name': null }), 400, -32020],
    ['another Mcp-Name', withHeaders({ 'mcp-name': 'other' }), 400, -32020],
    ['an Accept that admits nothing', withHeaders({ accept: 'text/html' }), 406, -32600],
    ['another content type', withHeaders({ 'content-type': 'text/plain' }), 415, -32600],
    ['a foreign Origin', withHeaders({ origin: 'https://evil.example' }), 403, -32600],
  ])('%s', async (_what, bend, status, code) => {
    const answer = await bent('tools/call', { name: 'echo', arguments: { text: 'x' } }, bend);
    expect(answer).toMatchObject({ status, code });
    expect(answer.contentType).toContain('application/json');
    // What is refused before the body is read can not name the request.
    if (status !== 403 && status !== 415) expect(answer.id).toBe(answer.expected);
  });

  it('the version error names the versions that discover names', async () => {
    const { data } = await bent(
      'server/discover',
      {},
      both(
        withMeta({ [META.version]: 'v999.0.0' }),
        withHeaders({ 'mcp-protocol-version': 'v999.0.0' }),
      ),
    );
    const { supportedVersions } = await client.result('server/discover');
    expect(data).toMatchObject({ supported: supportedVersions, requested: 'v999.0.0' });
    expect(supportedVersions).toContain('2026-07-28');
  });

  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/list',
    'tasks/result',
    'unknown/method',
  ])('%s is no method of this era', async (method) => {
    expect(await client.withTasks().error(method, { taskId: UNKNOWN_TASK })).toMatchObject({
      status: 404,
      code: -32601,
    });
  });

  it.each<[string, Json, Json | null]>([
    ['tasks/get', { taskId: UNKNOWN_TASK }, null],
    ['tasks/update', { taskId: UNKNOWN_TASK, inputResponses: {} }, null],
    ['tasks/cancel', { taskId: UNKNOWN_TASK }, null],
    ['subscriptions/listen', { notifications: { taskIds: [UNKNOWN_TASK] } }, null],
    ['tools/call', { name: 'task_only', arguments: {} }, null],
    ['tools/call', { name: 'ask_first', arguments: {} }, null],
    ['tools/call', { name: 'needs_sampling', arguments: {} }, { sampling: {} }],
  ])('%s %j needs a capability, and says which', async (method, params, capabilities) => {
    const required = capabilities ?? { extensions: { [TASKS]: {} } };
    // Tasks as 2025-11-25 declares them are something else.
    const legacy = client.declaring({ tasks: { requests: { tools: { call: {} } } } });
    for (const declaring of [client, legacy]) {
      expect(await declaring.error(method, params)).toMatchObject({
        status: 400,
        code: -32021,
        data: { requiredCapabilities: required },
      });
    }
  });

  it.each<[string, Json]>([
    ['tasks/get', { taskId: UNKNOWN_TASK }],
    ['tasks/get', { taskId: 'nonsense' }],
    ['tasks/update', { taskId: UNKNOWN_TASK, inputResponses: {} }],
    ['tasks/cancel', { taskId: UNKNOWN_TASK }],
    ['tools/call', { name: 'nonsense', arguments: {} }],
    ['tools/call', { name: 'echo', arguments: [] }],
    ['tools/call', { name: 'echo', arguments: {}, inputResponses: null }],
    ['tools/call', { name: 'echo', arguments: {}, requestState: 'nonsense' }],
    ['tools/call', {}],
    ['prompts/get', { name: 'nonsense' }],
    ['resources/read', { uri: 'test://nonsense' }],
    ['tools/list', { cursor: 'nonsense' }],
    ['tasks/update', { taskId: UNKNOWN_TASK }],
    ['subscriptions/listen', {}],
    ['subscriptions/listen', { notifications: { taskIds: Array(1_001).fill('x') } }],
  ])('%s %j is -32602', async (method, params) => {
    expect(await client.withTasks().error(method, params)).toMatchObject({
      status: 200,
      code: -32602,
    });
  });

  it('unknown tasks are one case, word for word', async () => {
    const own = client.withTasks();
    const unknown = await own.error('tasks/get', { taskId: UNKNOWN_TASK });
    expect(await own.error('tasks/get', { taskId: 'nonsense' })).toEqual(unknown);
    expect(await own.error('tasks/cancel', { taskId: UNKNOWN_TASK })).toEqual(unknown);
    expect(await own.error('tasks/update', { taskId: 'x', inputResponses: {} })).toEqual(unknown);
  });

  it('a batch, a response and a null id are no request', async () => {
    const request = client.build('tools/list');
    const { params } = request.body;
    for (const body of [
      [request.body],
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: null, method: 'tools/list', params },
    ]) {
      const answer = await send({ ...request, body: body as Json });
      expect(answer).toMatchObject({ status: 400, code: -32600 });
    }
  });

  it('notifications are taken, withdrawals among them', async () => {
    for (const method of ['notifications/cancelled', 'notifications/nonsense']) {
      const { body, headers } = client.build(method, { requestId: 1 });
      const { id: _id, ...notification } = body;
      const response = await client.post({ body: notification, headers });
      expect(response.status).toBe(202);
      expect(await response.text()).toBe('');
    }
  });

  describe('arguments mirrored into headers', () => {
    const call = (args: Json, headers: Record<string, string>) =>
      bent('tools/call', { name: 'region', arguments: args }, withHeaders(headers));
    const base64 = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

    it.each<[string, Json, Record<string, string>]>([
      ['as they are', { region: 'eu' }, { 'Mcp-Param-Region': 'eu' }],
      ['with blanks around', { region: 'eu' }, { 'mcp-param-region': '  eu ' }],
      ['in Base64', { region: 'zürich' }, { 'Mcp-Param-Region': base64('zürich') }],
      ['that look like Base64 and are', { region: 'x' }, { 'Mcp-Param-Region': base64('x') }],
      ['as numbers', { count: 42 }, { 'Mcp-Param-Count': '42.0' }],
      ['that are null or absent', {}, {}],
    ])('%s', async (_what, args, headers) => {
      expect(await call(args, headers)).toMatchObject({ status: 200, code: undefined });
    });

    it.each<[string, Json, Record<string, string>]>([
      ['that are missing', { region: 'eu' }, {}],
      ['that differ', { region: 'eu' }, { 'Mcp-Param-Region': 'us' }],
      ['that differ in case', { region: 'eu' }, { 'Mcp-Param-Region': 'EU' }],
      ['of no argument', {}, { 'Mcp-Param-Region': 'eu' }],
      [
        'in Base64 without padding',
        { region: 'Hello' },
        { 'Mcp-Param-Region': '=?base64?SGVsbG8?=' },
      ],
      ['in broken Base64', { region: 'Hello' }, { 'Mcp-Param-Region': '=?base64?SGVs!!!bG8=?=' }],
      ['of another number', { count: 42 }, { 'Mcp-Param-Count': '43' }],
    ])('%s are refused', async (_what, args, headers) => {
      expect(await call(args, headers)).toMatchObject({ status: 400, code: -32020 });
    });
  });

  it('a session header means nothing, and none is given out', async () => {
    const request = client.build('tools/list');
    const response = await client.post({
      ...request,
      headers: { ...request.headers, 'mcp-session-id': 'nonsense' },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toBeNull();
    await response.text();
  });

  it('names of tools may come in Base64 and with blanks', async () => {
    const request = client.build('tools/call', { name: 'greet', arguments: { name: 'x' } });
    for (const name of [' greet ', `=?base64?${Buffer.from('greet').toString('base64')}?=`]) {
      const headers = { ...request.headers, 'mcp-name': name };
      expect(await send({ ...request, headers })).toMatchObject({ status: 200, code: undefined });
    }
  });

  it('holds as many requests open as it is told to, and says so before anything runs', async () => {
    const own = await startModernStack({
      mode: 'postgres',
      environment: { MAX_OPEN_STREAMS: '1' },
    });
    try {
      const listening = await own.client.open('subscriptions/listen', {
        notifications: { toolsListChanged: true },
      });
      const refused = await own.client.error('tools/call', {
        name: 'greet',
        arguments: { name: 'x' },
      });
      expect(refused).toMatchObject({ status: 429, code: -32000, data: { retryable: true } });
      // What holds nothing open is served all the same.
      await own.client.result('tools/list');
      listening.close();
    } finally {
      await own.stack.stop();
    }
  });
});
