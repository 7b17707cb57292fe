import { describe, expect, it } from '@jest/globals';
import type { PrincipalId, TaskId } from '@longshore/core';
import { RequestStateCodec, type StatedRequest } from '../../src/modern/request-state.ts';

const KEY = 'k'.repeat(32);
const row = { taskId: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' as TaskId, logsAfter: '17' };
const request = {
  principalId: 'alice' as PrincipalId,
  method: 'tools/call',
  params: { name: 'deploy', arguments: { to: 'prod', deep: { a: 1, b: [1, 2] } } },
};

describe('requestState', () => {
  const codec = new RequestStateCodec({ key: KEY });
  const refused = (state: string, of: StatedRequest = request, by = codec) =>
    expect(() => by.verify(state, of)).toThrow(
      expect.objectContaining({ code: 'INVALID_REQUEST_STATE' }),
    );

  it('gives back the row it was made for', () => {
    expect(codec.verify(codec.mint(row, request), request)).toEqual(row);
  });

  it('is good on every replica that has the key, and on no other', () => {
    const state = codec.mint(row, request);
    expect(new RequestStateCodec({ key: KEY }).verify(state, request)).toEqual(row);
    refused(state, request, new RequestStateCodec({ key: 'x'.repeat(32) }));
  });

  it('belongs to the request whatever the answers, the metadata and the order of members', () => {
    const state = codec.mint(row, {
      ...request,
      params: { ...request.params, _meta: { progressToken: 1 } },
    });
    const again = {
      ...request,
      params: {
        requestState: state,
        inputResponses: { ok: { action: 'accept' } },
        arguments: { deep: { b: [1, 2], a: 1 }, to: 'prod' },
        name: 'deploy',
        _meta: { progressToken: 2 },
      },
    };
    expect(codec.verify(state, again)).toEqual(row);
  });

  it.each([
    ['another principal', { ...request, principalId: 'mallory' as PrincipalId }],
    ['another method', { ...request, method: 'prompts/get' }],
    ['another tool', { ...request, params: { ...request.params, name: 'destroy' } }],
    [
      'other arguments',
      {
        ...request,
        params: { name: 'deploy', arguments: { to: 'prod', deep: { a: 1, b: [2, 1] } } },
      },
    ],
    [
      'an array in the place of an object',
      {
        ...request,
        params: {
          name: 'deploy',
          arguments: {
            to: 'prod',
            deep: [
              ['a', 1],
              ['b', [1, 2]],
            ],
          },
        },
      },
    ],
  ])('is refused for %s', (_what, other: StatedRequest) => {
    refused(codec.mint(row, request), other);
  });

  it('is refused once it has expired, and not before', () => {
    let nowMs = 1_000;
    const timed = new RequestStateCodec({ key: KEY, ttlMs: 500, now: () => nowMs });
    const state = timed.mint(row, request);
    nowMs = 1_499;
    expect(timed.verify(state, request)).toEqual(row);
    nowMs = 1_500;
    refused(state, request, timed);
  });

  it('is refused when any of its characters is another one', () => {
    const state = codec.mint(row, request);
    for (let at = 0; at < state.length; at += 1) {
      const other = state[at] === 'A' ? 'B' : 'A';
      refused(state.slice(0, at) + other + state.slice(at + 1));
    }
  });

  it.each(['', '.', 'v1.', 'v1..', 'v1.e30.', 'nonsense', 'v1.e30.AAAA'])(
    '%j is refused',
    (state) => {
      refused(state);
    },
  );

  it('is refused with anything added or taken away', () => {
    const state = codec.mint(row, request);
    for (const bent of [
      `${state}-TAMPERED`,
      `${state}=`,
      ` ${state}`,
      state.slice(1),
      state.slice(0, -1),
    ]) {
      refused(bent);
    }
  });

  it('needs a key that can not be guessed', () => {
    expect(() => new RequestStateCodec({ key: 'short' })).toThrow(RangeError);
  });
});
