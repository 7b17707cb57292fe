import { describe, expect, it } from '@jest/globals';
import { negotiateVersion } from '../src/legacy/initialize.ts';
import { LegacyParams } from '../src/legacy/params.ts';

const call = (extra: object) => LegacyParams['tools/call'].safeParse({ name: 't', ...extra });

describe('tools/call params', () => {
  it.each([[1.5], [true], [null], [{}]])('refuse the progressToken %p', (progressToken) => {
    const parsed = call({ _meta: { progressToken } });
    expect(parsed.success).toBe(false);
    expect(parsed.error?.message).toContain('progressToken must be a string or an integer');
  });

  it.each([['p'], [0], [-3]])('take the progressToken %p', (progressToken) => {
    expect(call({ _meta: { progressToken } }).success).toBe(true);
  });

  it.each([[-1], [0], ['60000'], [null], [Number.NaN]])('refuse the ttl %p', (ttl) => {
    expect(call({ task: { ttl } }).success).toBe(false);
  });

  it('take any positive ttl, rounded up to whole milliseconds', () => {
    expect(call({ task: { ttl: 0.5 } }).data?.task).toEqual({ ttl: 1 });
    expect(call({ task: { ttl: 1e300 } }).success).toBe(true);
    expect(call({ task: {} }).success).toBe(true);
  });

  it('refuse arguments that are no object, and default to none', () => {
    expect(call({ arguments: [] }).success).toBe(false);
    expect(call({}).data?.arguments).toEqual({});
  });
});

describe('params of prompts, resources and completions', () => {
  it('take texts as arguments of a prompt, and default to none', () => {
    const getPrompt = LegacyParams['prompts/get'];
    expect(getPrompt.safeParse({ name: 'p' }).data?.arguments).toEqual({});
    expect(getPrompt.safeParse({ name: 'p', arguments: { a: '1' } }).success).toBe(true);
    for (const args of [{ a: 1 }, [], 'a', null]) {
      expect(getPrompt.safeParse({ name: 'p', arguments: args }).success).toBe(false);
    }
  });

  it('bound the length of a URI, and take none that could not be stored', () => {
    expect(LegacyParams['resources/read'].safeParse({ uri: 'a'.repeat(4_096) }).success).toBe(true);
    for (const uri of ['', 'a'.repeat(4_097), 'a://\0', 1, undefined]) {
      expect(LegacyParams['resources/read'].safeParse({ uri }).success).toBe(false);
      expect(LegacyParams['resources/subscribe'].safeParse({ uri }).success).toBe(false);
    }
  });

  it.each([
    [{ type: 'ref/prompt', name: 'p' }, true],
    [{ type: 'ref/resource', uri: 'a://{b}' }, true],
    [{ type: 'ref/prompt', uri: 'a://{b}' }, false],
    [{ type: 'ref/tool', name: 't' }, false],
    ['p', false],
  ])('take references to prompts and resources: %j', (ref, fits) => {
    const argument = { name: 'a', value: '' };
    expect(LegacyParams['completion/complete'].safeParse({ ref, argument }).success).toBe(fits);
  });
});

describe('negotiateVersion', () => {
  it('echoes what it speaks and offers its latest otherwise', () => {
    expect(negotiateVersion('2025-06-18')).toBe('2025-06-18');
    expect(negotiateVersion('2024-11-05')).toBe('2025-11-25');
    expect(negotiateVersion('1.0')).toBe('2025-11-25');
  });
});
