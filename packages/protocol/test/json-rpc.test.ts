import { describe, expect, it } from '@jest/globals';
import { LongshoreError } from '@longshore/core';
import { parseInbound, readableId } from '../src/shared/json-rpc.ts';

const codeOf = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof LongshoreError) return error.code;
    throw error;
  }
  return 'no error';
};

describe('parseInbound', () => {
  it('tells requests, notifications and responses apart', () => {
    expect(parseInbound({ jsonrpc: '2.0', id: 1, method: 'ping' }).kind).toBe('request');
    expect(parseInbound({ jsonrpc: '2.0', method: 'notifications/initialized' }).kind).toBe(
      'notification',
    );
    expect(parseInbound({ jsonrpc: '2.0', id: 'a', result: {} })).toEqual({
      kind: 'response',
      id: 'a',
      reply: { result: {} },
    });
    expect(parseInbound({ jsonrpc: '2.0', id: 7, error: { code: 1, message: 'm' } })).toEqual({
      kind: 'response',
      id: 7,
      reply: { error: { code: 1, message: 'm' } },
    });
  });

  it('takes a malformed error for an error all the same', () => {
    expect(parseInbound({ jsonrpc: '2.0', id: 7, error: { code: 'x' } })).toEqual({
      kind: 'response',
      id: 7,
      reply: { error: { code: -32603, message: 'The client answered with an error' } },
    });
  });

  it.each([
    ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
    ['a primitive', 42],
    ['null', null],
    ['a null id', { jsonrpc: '2.0', id: null, method: 'ping' }],
    ['a fractional id', { jsonrpc: '2.0', id: 1.5, method: 'ping' }],
    ['another JSON-RPC version', { jsonrpc: '1.0', id: 1, method: 'ping' }],
    ['params that are an array', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
    ['a method that is no string', { jsonrpc: '2.0', id: 1, method: 1 }],
    ['an empty object', {}],
    ['a response without id', { jsonrpc: '2.0', result: {} }],
  ])('refuses %s', (_what, body) => {
    expect(codeOf(() => parseInbound(body))).toBe('INVALID_REQUEST');
  });
});

describe('readableId', () => {
  it('finds the id of a malformed message', () => {
    expect(readableId({ id: 5, method: 7 })).toBe(5);
    expect(readableId({ id: null })).toBeNull();
    expect(readableId('text')).toBeNull();
  });
});
