import { describe, expect, it } from '@jest/globals';
import { classifyEra } from '../src/shared/era.ts';

const envelope = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' };
const body = (meta?: object) => ({
  method: 'tools/list',
  params: meta === undefined ? {} : { _meta: meta },
});

describe('classifyEra', () => {
  it.each([
    ['an envelope', body(envelope), undefined, 'modern'],
    [
      'an envelope that names a legacy version',
      body({ 'io.modelcontextprotocol/protocolVersion': '2025-11-25' }),
      '2025-11-25',
      'modern',
    ],
    [
      'only the capabilities of an envelope',
      body({ 'io.modelcontextprotocol/clientCapabilities': {} }),
      undefined,
      'modern',
    ],
    [
      'only the client info of an envelope',
      body({ 'io.modelcontextprotocol/clientInfo': { name: 'c', version: '1' } }),
      '2025-11-25',
      'modern',
    ],
    [
      'only the log level of an envelope',
      body({ 'io.modelcontextprotocol/logLevel': 'info' }),
      undefined,
      'modern',
    ],
    [
      'an envelope key of no value',
      body({ 'io.modelcontextprotocol/protocolVersion': null }),
      undefined,
      'modern',
    ],
    ['the modern header without an envelope', body(), '2026-07-28', 'modern'],
    ['only a progress token', body({ progressToken: 1 }), undefined, 'legacy'],
    [
      'the related-task mark',
      body({ 'io.modelcontextprotocol/related-task': { taskId: 'x' } }),
      '2025-11-25',
      'legacy',
    ],
    ['a _meta that is no object', { params: { _meta: 'x' } }, undefined, 'legacy'],
    ['an unknown version header', body(), '2099-01-01', 'legacy'],
    ['a legacy header', body(), '2025-11-25', 'legacy'],
    ['neither header nor envelope', body(), undefined, 'legacy'],
    ['params that are no object', { method: 'x', params: 1 }, undefined, 'legacy'],
    ['a body that is no object', 'x', undefined, 'legacy'],
  ])('with %s', (_what, message, header, era) => {
    expect(classifyEra(message, header)).toBe(era);
  });
});
