import { describe, expect, it } from '@jest/globals';
import { ERROR_CATALOGUE, type ErrorCode, LongshoreError } from '@longshore/core';
import { errorToWire, outcomeErrorToWire } from '../src/shared/error-to-wire.ts';

/** Pinned: clients decide by these numbers. */
const PINS: Partial<Record<ErrorCode, [number, number]>> = {
  PARSE_ERROR: [-32700, 400],
  INVALID_REQUEST: [-32600, 400],
  INVALID_PARAMS: [-32602, 200],
  INVALID_CURSOR: [-32602, 200],
  UNKNOWN_TOOL: [-32602, 200],
  TASK_REQUIRED: [-32601, 200],
  TASK_FORBIDDEN: [-32601, 200],
  TASK_NOT_FOUND: [-32602, 200],
  TASK_TERMINAL: [-32602, 200],
  TASK_CANCELLED: [-32000, 200],
  SESSION_NOT_FOUND: [-32001, 404],
  SESSION_REQUIRED: [-32600, 400],
  FORBIDDEN_ORIGIN: [-32600, 403],
  UNSUPPORTED_VERSION: [-32022, 400],
  UNSUPPORTED_MEDIA_TYPE: [-32600, 415],
  BODY_TOO_LARGE: [-32600, 413],
  DATABASE_UNAVAILABLE: [-32603, 503],
  UNKNOWN_PROMPT: [-32602, 200],
  MISSING_ENVELOPE: [-32602, 400],
  HEADER_MISMATCH: [-32020, 400],
  MISSING_CAPABILITY: [-32021, 400],
  INVALID_REQUEST_STATE: [-32602, 200],
  TOO_MANY_STREAMS: [-32000, 429],
  RATE_LIMITED: [-32010, 429],
  TOO_MANY_TASKS: [-32011, 429],
  TOO_MANY_SESSIONS: [-32012, 429],
  ARGUMENTS_TOO_LARGE: [-32602, 200],
  IDEMPOTENCY_CONFLICT: [-32602, 200],
};

/** Where the eras differ, and nowhere else: legacy, then modern. */
const PER_ERA: Partial<Record<ErrorCode, [[number, number], [number, number]]>> = {
  UNKNOWN_METHOD: [
    [-32601, 200],
    [-32601, 404],
  ],
  RESOURCE_NOT_FOUND: [
    [-32002, 200],
    [-32602, 200],
  ],
};

describe('errorToWire', () => {
  it.each(Object.entries(PINS))('maps %s', (code, [rpc, http]) => {
    const wire = errorToWire(new LongshoreError(code as ErrorCode, 'm'));
    expect([wire.code, wire.httpStatus]).toEqual([rpc, http]);
  });

  it.each(Object.keys(ERROR_CATALOGUE) as ErrorCode[])('maps %s in each era', (code) => {
    const error = new LongshoreError(code, 'm');
    const [legacy, modern] = (['legacy', 'modern'] as const).map((era) => {
      const wire = errorToWire(error, era);
      return [wire.code, wire.httpStatus];
    });
    expect([legacy, modern]).toEqual(PER_ERA[code] ?? [legacy, legacy]);
    // Codes that 2026-07-28 keeps for itself mean there what it says, and no others are used.
    const [rpc] = modern ?? [];
    expect([-32002, -32042]).not.toContain(rpc);
    if (Number(rpc) <= -32020 && Number(rpc) >= -32099) {
      expect([-32020, -32021, -32022]).toContain(rpc);
    }
  });

  it('names the code, and says which errors may pass by themselves', () => {
    for (const code of Object.keys(ERROR_CATALOGUE) as ErrorCode[]) {
      const { data } = errorToWire(new LongshoreError(code, 'm', { details: { a: 1 } }));
      expect(data).toEqual({
        a: 1,
        code,
        ...(ERROR_CATALOGUE[code].retryable ? { retryable: true } : {}),
      });
    }
  });

  it('tells of a missing resource of the modern era by its URI alone', () => {
    const error = new LongshoreError('RESOURCE_NOT_FOUND', 'm', { details: { uri: 'a://b' } });
    expect(errorToWire(error, 'modern').data).toEqual({ uri: 'a://b' });
    expect(errorToWire(error, 'legacy').data).toEqual({ uri: 'a://b', code: 'RESOURCE_NOT_FOUND' });
  });

  it('keeps the message of an unexpected error to itself', () => {
    expect(JSON.stringify(errorToWire(new Error('password=hunter2')))).not.toContain('hunter2');
    expect(errorToWire(new Error('x')).code).toBe(-32603);
  });
});

describe('outcomeErrorToWire', () => {
  it('gives a resource that a worker did not find the code of the era', () => {
    const error = {
      code: -32602,
      message: 'm',
      data: { code: 'RESOURCE_NOT_FOUND', uri: 'a://b' },
    };
    expect(outcomeErrorToWire(error, 'legacy')).toEqual({ ...error, code: -32002 });
    expect(outcomeErrorToWire(error, 'modern')).toEqual({ ...error, data: { uri: 'a://b' } });
  });

  it('gives every other error as it is, but for codes the modern era keeps for itself', () => {
    const own = { code: -32050, message: 'm', data: { code: 'MINE' } };
    expect(outcomeErrorToWire(own, 'legacy')).toEqual(own);
    expect(outcomeErrorToWire(own, 'modern')).toEqual({ ...own, code: -32603 });
    const plain = { code: 7, message: 'm' };
    expect(outcomeErrorToWire(plain, 'modern')).toEqual(plain);
  });
});
