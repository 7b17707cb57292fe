import { describe, expect, it } from '@jest/globals';
import { toolErrorOutcome } from '@longshore/core';
import { InputError, ProtocolError, ToolError, z } from '@longshore/plugin';
import { errorText } from '../../src/requests/error-text.ts';
import { failureOf, outcomeStatus } from '../../src/requests/failure.ts';

const failed = (thrown: unknown) => failureOf(thrown, toolErrorOutcome);

describe('failureOf', () => {
  it('takes a ToolError as the outcome', () => {
    expect(failed(new ToolError('no such file'))).toEqual({
      kind: 'final',
      outcome: toolErrorOutcome('no such file'),
    });
  });

  it('takes an InputError as the outcome, in whatever form failures have', () => {
    const outcome = { kind: 'error', error: { code: 7, message: 'x' } } as const;
    expect(failureOf(new InputError('timeout', 'nobody there'), () => outcome)).toEqual({
      kind: 'final',
      outcome,
    });
  });

  it('knows a ToolError of another copy of the package', () => {
    class ToolErrorElsewhere extends Error {
      override readonly name = 'ToolError';
    }
    expect(failed(new ToolErrorElsewhere('x')).kind).toBe('final');
  });

  it('takes a ProtocolError as a JSON-RPC error', () => {
    expect(failed(new ProtocolError(-32_602, 'bad', { at: 1 }))).toEqual({
      kind: 'final',
      outcome: { kind: 'error', error: { code: -32_602, message: 'bad', data: { at: 1 } } },
    });
  });

  it('leaves out data that JSON can not hold', () => {
    expect(failed(new ProtocolError(1, 'bad', 1n))).toEqual({
      kind: 'final',
      outcome: { kind: 'error', error: { code: 1, message: 'bad' } },
    });
  });

  it.each<[string, unknown, string]>([
    ['an error', new Error('broken'), 'broken'],
    ['an error without a message', new TypeError(), 'TypeError'],
    ['a string', 'broken', 'broken'],
    ['nothing', undefined, 'it failed without saying why'],
  ])('lets %s be retried', (_name, thrown, text) => {
    expect(failed(thrown)).toEqual({ kind: 'retryable', text });
  });
});

describe('errorText', () => {
  it('leaves out stack traces', () => {
    const inner = new Error('inner');
    expect(errorText(new Error(`failed: ${inner.stack}`))).toBe('failed: Error: inner');
  });

  it('writes one line per problem of a zod error', () => {
    const { error } = z.object({ a: z.string(), b: z.number() }).safeParse({ a: 1 });
    const text = errorText(error);
    expect(text).toMatch(/at a/);
    expect(text).toMatch(/at b/);
    expect(text).not.toMatch(/"code"/);
  });

  it('bounds its length', () => {
    expect(errorText(new Error('x'.repeat(100_000)))).toHaveLength(8_000);
  });
});

describe('outcomeStatus', () => {
  it('is the error text of a failure and nothing for a success', () => {
    expect(outcomeStatus(toolErrorOutcome('why'))).toBe('why');
    expect(outcomeStatus({ kind: 'error', error: { code: 1, message: 'bad' } })).toBe('bad');
    expect(
      outcomeStatus({
        kind: 'result',
        isError: false,
        result: { content: [{ type: 'text', text: 'fine' }] },
      }),
    ).toBeNull();
  });
});
