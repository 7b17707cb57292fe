import { describe, expect, it } from '@jest/globals';
import { ERROR_CATALOGUE, LongshoreError } from '../src/errors.ts';
import { outcomeKind, toolErrorOutcome } from '../src/outcome.ts';

describe('outcomeKind', () => {
  it('keeps a tool error apart from a result and from a protocol error', () => {
    expect(outcomeKind(toolErrorOutcome('no'))).toBe('tool_error');
    expect(outcomeKind({ kind: 'result', isError: false, result: {} })).toBe('result');
    expect(outcomeKind({ kind: 'error', error: { code: -32603, message: 'm' } })).toBe('error');
  });
});

describe('LongshoreError', () => {
  it('knows by its code whether a retry may help, and keeps its cause', () => {
    const cause = new Error('socket');
    const error = new LongshoreError('DATABASE_UNAVAILABLE', 'm', { cause });
    expect(error.retryable).toBe(true);
    expect(error.cause).toBe(cause);
    expect(new LongshoreError('INVALID_PARAMS', 'm').retryable).toBe(false);
  });

  it('has a summary for every code', () => {
    for (const { summary } of Object.values(ERROR_CATALOGUE))
      expect(summary).toMatch(/^[A-Z].*\.$/);
  });
});
