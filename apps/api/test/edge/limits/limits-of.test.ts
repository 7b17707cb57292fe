import { expect, it } from '@jest/globals';
import type { Access, AuthBindingId, PrincipalId } from '@longshore/core';
import { limitsOver } from '../../../src/edge/limits/limits-of.ts';

const DEFAULTS = {
  requestsPerMinute: 60,
  concurrentTasks: 0,
  queuedTasks: 10,
  argumentBytes: 100,
  maxTtlMs: 1_000,
  openStreams: 5,
  sessions: 5,
  schedules: 3,
};

const access = (limits: Access['limits']): Access => ({
  identity: { principalId: 'p' as PrincipalId, authBindingId: 'b' as AuthBindingId },
  sessionIdentity: null,
  scopes: null,
  limits,
});

it('takes from the configuration what the credential does not say', () => {
  const limitsOf = limitsOver(DEFAULTS);
  expect(limitsOf(access({}))).toEqual(DEFAULTS);
  const own = access({ queuedTasks: 0, openStreams: 7 });
  expect(limitsOf(own)).toEqual({ ...DEFAULTS, queuedTasks: 0, openStreams: 7 });
  expect(limitsOf(own)).toBe(limitsOf(own));
});
