import { describe, expect, it } from '@jest/globals';
import { parseModernRequest as parse, type TaskNameHeader } from '../src/modern/request.ts';
import {
  ENVELOPE,
  type HeaderSet,
  headersFor,
  MODERN,
  post,
  sentinel,
} from './support/modern-post.ts';
import { refusal } from './support/wire-error.ts';

const VERSION = 'io.modelcontextprotocol/protocolVersion';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const LEVEL = 'io.modelcontextprotocol/logLevel';
const without = (key: string) =>
  Object.fromEntries(Object.entries(ENVELOPE).filter(([name]) => name !== key));
const listTools = headersFor('tools/list');
const omit = (headers: HeaderSet, name: string): HeaderSet =>
  Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));

const parseModernRequest = (
  headers: HeaderSet,
  body: unknown,
  taskNameHeader: TaskNameHeader = 'optional',
) => parse(headers, body, taskNameHeader);

function accepted(headers: HeaderSet, body: unknown) {
  const inbound = parseModernRequest(headers, body);
  if (inbound.kind !== 'request') throw new Error('not a request');
  return inbound.request;
}

describe('parseModernRequest refuses', () => {
  const noEnvelope = ['MISSING_ENVELOPE', -32602, 400] as const;
  const mismatch = ['HEADER_MISMATCH', -32020, 400] as const;
  const unsupported = ['UNSUPPORTED_VERSION', -32022, 400] as const;
  const unknownMethod = ['UNKNOWN_METHOD', -32601, 404] as const;
  const notOneRequest = ['INVALID_REQUEST', -32600, 400] as const;
  const meta = (value: unknown) => ({ ...post('tools/list'), params: { _meta: value } });
  const call = (params = {}) => post('tools/call', { name: 'echo', ...params });

  it.each([
    ['a batch', listTools, [post('tools/list')], notOneRequest],
    ['a response', listTools, { jsonrpc: '2.0', id: 1, result: {} }, notOneRequest],
    ['an error response', listTools, { jsonrpc: '2.0', id: 1, error: {} }, notOneRequest],
    ['a body that is no JSON-RPC', listTools, { hello: 'world' }, notOneRequest],

    ['params without _meta', listTools, post('tools/list', {}, null), noEnvelope],
    ['no params at all', listTools, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, noEnvelope],
    ['a _meta that is no object', listTools, meta('x'), noEnvelope],
    ['a _meta that is an array', listTools, meta([]), noEnvelope],
    ['an envelope without version', listTools, meta(without(VERSION)), noEnvelope],
    ['an envelope without capabilities', listTools, meta(without(CAPABILITIES)), noEnvelope],
    [
      'a version that is no string',
      listTools,
      post('tools/list', {}, { [VERSION]: 1 }),
      noEnvelope,
    ],
    [
      'capabilities that are no object',
      listTools,
      post('tools/list', {}, { [CAPABILITIES]: [] }),
      noEnvelope,
    ],
    // Rather than -32020, whatever the headers are.
    ['no envelope and no headers', {}, post('tools/list', {}, null), noEnvelope],

    ['no version header', omit(listTools, 'mcp-protocol-version'), post('tools/list'), mismatch],
    [
      'a version header of another revision',
      { ...listTools, 'mcp-protocol-version': '2025-11-25' },
      post('tools/list'),
      mismatch,
    ],
    // The contradiction is found before the revision is looked at.
    [
      'a known version header over an unknown envelope',
      listTools,
      post('tools/list', {}, { [VERSION]: 'v999' }),
      mismatch,
    ],
    [
      'an unknown version, said twice',
      { ...listTools, 'mcp-protocol-version': 'v999' },
      post('tools/list', {}, { [VERSION]: 'v999' }),
      unsupported,
    ],
    [
      'a legacy version in an envelope',
      { ...listTools, 'mcp-protocol-version': '2025-11-25' },
      post('tools/list', {}, { [VERSION]: '2025-11-25' }),
      unsupported,
    ],
    // The revision is found before the method headers are looked at.
    [
      'an unknown version without method header',
      { 'mcp-protocol-version': 'v999' },
      post('tools/list', {}, { [VERSION]: 'v999' }),
      unsupported,
    ],

    ['no method header', omit(listTools, 'mcp-method'), post('tools/list'), mismatch],
    [
      'another method in the header',
      { ...listTools, 'mcp-method': 'prompts/list' },
      post('tools/list'),
      mismatch,
    ],
    [
      'a method header in upper case',
      { ...listTools, 'mcp-method': 'TOOLS/LIST' },
      post('tools/list'),
      mismatch,
    ],
    // The sentinel is for names and arguments only.
    [
      'a method header in Base64',
      { ...listTools, 'mcp-method': sentinel('tools/list') },
      post('tools/list'),
      mismatch,
    ],
    [
      'a method header that was sent twice',
      { ...listTools, 'mcp-method': 'tools/list, tools/list' },
      post('tools/list'),
      mismatch,
    ],

    ['a call without name header', headersFor('tools/call'), call(), mismatch],
    ['a call with another name', headersFor('tools/call', 'other'), call(), mismatch],
    ['a call with the name in upper case', headersFor('tools/call', 'ECHO'), call(), mismatch],
    [
      'a call with another name in Base64',
      headersFor('tools/call', sentinel('x')),
      call(),
      mismatch,
    ],
    [
      'a name in Base64 without padding',
      headersFor('tools/call', '=?base64?ZWNobw?='),
      call(),
      mismatch,
    ],
    ['a name in bad Base64', headersFor('tools/call', '=?base64?ZW!!Nobw==?='), call(), mismatch],
    // 0xff is no UTF-8.
    ['a name in Base64 of no text', headersFor('tools/call', '=?base64?/w==?='), call(), mismatch],
    // Read as it stands, hence another name.
    [
      'a name with the markers in upper case',
      headersFor('tools/call', '=?BASE64?ZWNobw==?='),
      call(),
      mismatch,
    ],
    ['a name header beyond ASCII', headersFor('tools/call', 'é'), call({ name: 'é' }), mismatch],
    [
      'a name header with a control character',
      headersFor('tools/call', 'a\u0001'),
      call({ name: 'a\u0001' }),
      mismatch,
    ],
    [
      'a prompt without name header',
      headersFor('prompts/get'),
      post('prompts/get', { name: 'p' }),
      mismatch,
    ],
    [
      'a resource without name header',
      headersFor('resources/read'),
      post('resources/read', { uri: 'a:b' }),
      mismatch,
    ],
    [
      'a resource with another uri',
      headersFor('resources/read', 'a:c'),
      post('resources/read', { uri: 'a:b' }),
      mismatch,
    ],

    ['an unknown log level', listTools, post('tools/list', {}, { [LEVEL]: 'loud' }), noEnvelope],
    [
      'a fractional progress token',
      listTools,
      post('tools/list', {}, { progressToken: 1.5 }),
      noEnvelope,
    ],

    ...[
      'initialize',
      'ping',
      'logging/setLevel',
      'resources/subscribe',
      'resources/unsubscribe',
      'tasks/result',
      'tasks/list',
      'no/such',
      'constructor',
      '__proto__',
    ].map(
      (method) =>
        [`the method ${method}`, headersFor(method), post(method), unknownMethod] as const,
    ),
    // Headers are checked for methods nobody knows as well.
    ['an unknown method with another header', listTools, post('ping'), mismatch],
  ])('%s', (_what, headers: HeaderSet, body: unknown, [code, rpc, http]) => {
    expect(refusal(() => parseModernRequest(headers, body))).toMatchObject({ code, rpc, http });
  });
});

describe('parseModernRequest', () => {
  it('lists what it supports, newest first, and repeats what was asked for', () => {
    const headers = { ...listTools, 'mcp-protocol-version': 'v999' };
    const body = post('tools/list', {}, { [VERSION]: 'v999' });
    expect(refusal(() => parseModernRequest(headers, body))?.details).toEqual({
      supported: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'],
      requested: 'v999',
    });
  });

  it('names the header that does not fit, and no values', () => {
    const headers = headersFor('tools/call', 'secret');
    const run = () => parseModernRequest(headers, post('tools/call', { name: 'hidden' }));
    expect(refusal(run)?.details).toEqual({ header: 'Mcp-Name' });
    expect(run).toThrow('Header mismatch: Mcp-Name does not match the body');
  });

  it.each([
    ['plain', 'tools/call', { name: 'echo' }, 'echo'],
    ['with white space around', 'tools/call', { name: 'echo' }, ' \t echo \t'],
    ['in Base64 though it need not be', 'tools/call', { name: 'echo' }, sentinel('echo')],
    ['in Base64 because it must be', 'tools/call', { name: 'Größe' }, sentinel('Größe')],
    ['that looks encoded itself', 'prompts/get', { name: sentinel('a') }, sentinel(sentinel('a'))],
    ['that only begins as if encoded', 'prompts/get', { name: '=?base64?YQ' }, '=?base64?YQ'],
    ['of a resource', 'resources/read', { uri: 'file:///a b' }, 'file:///a b'],
    ['of a task', 'tasks/get', { taskId: 'x' }, 'x'],
    // Nothing to mirror: the params' schema has its say later.
    ['that is no string', 'tools/call', { name: 5 }, undefined],
    ['of a method that has none', 'tools/list', { name: 'x' }, 'y'],
  ])('takes a name %s', (_what, method, params, header) => {
    expect(accepted(headersFor(method, header), post(method, params)).params).toMatchObject(params);
  });

  describe.each(['tasks/get', 'tasks/update', 'tasks/cancel'])('%s', (method) => {
    const body = post(method, { taskId: 'x' });
    const run = (name: string | undefined, taskNameHeader?: TaskNameHeader) =>
      refusal(() => parseModernRequest(headersFor(method, name), body, taskNameHeader));

    it('may come without a name, unless it is insisted on', () => {
      expect(run(undefined)).toBeNull();
      expect(run(undefined, 'required')).toMatchObject({ rpc: -32020, http: 400 });
    });

    it('must not come with another name', () => {
      for (const name of ['y', 'X', ''])
        expect(run(name)).toMatchObject({ rpc: -32020, http: 400 });
    });
  });

  it('finds headers whatever the case of their names', () => {
    const headers = { 'MCP-Protocol-Version': MODERN, 'MCP-METHOD': 'tools/list' };
    expect(accepted(headers, post('tools/list')).method).toBe('tools/list');
  });

  it('ignores a session id', () => {
    expect(accepted({ ...listTools, 'mcp-session-id': 'x' }, post('tools/list')).id).toBe(7);
  });

  it('hands on what the envelope says', () => {
    const request = accepted(
      listTools,
      post(
        'tools/list',
        { cursor: 'c' },
        {
          [CAPABILITIES]: { sampling: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } },
          [LEVEL]: 'warning',
          progressToken: 0,
        },
      ),
    );
    expect(request).toMatchObject({ id: 7, method: 'tools/list', params: { cursor: 'c' } });
    expect(request.envelope).toEqual({
      protocolVersion: MODERN,
      clientCapabilities: {
        elicitation: { form: false, url: false },
        sampling: true,
        samplingTools: false,
        roots: false,
        tasks: { elicitation: false, sampling: false },
        jobAnswers: false,
        tasksExtension: true,
        ui: false,
      },
      clientInfo: { name: 'c', version: '1' },
      logLevel: 'warning',
      progressToken: 0,
    });
  });

  it.each([
    ['absent', without('io.modelcontextprotocol/clientInfo')],
    ['junk', { ...ENVELOPE, 'io.modelcontextprotocol/clientInfo': 'x' }],
    ['half there', { ...ENVELOPE, 'io.modelcontextprotocol/clientInfo': { name: 'x' } }],
  ])('does without a client info that is %s', (_what, meta) => {
    const body = { ...post('server/discover'), params: { _meta: meta } };
    expect(accepted(headersFor('server/discover'), body).envelope).toMatchObject({
      clientInfo: null,
      logLevel: null,
      progressToken: null,
    });
  });

  it('takes notifications without headers or envelope', () => {
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
    expect(parseModernRequest({}, message)).toEqual({ kind: 'notification', message });
  });
});
