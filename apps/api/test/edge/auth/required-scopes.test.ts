import { describe, expect, it } from '@jest/globals';
import type { Access, AuthBindingId, PrincipalId } from '@longshore/core';
import {
  requireActing,
  requiredScopes,
  requireScopes,
} from '../../../src/edge/auth/required-scopes.ts';

const identity = { principalId: 'p' as PrincipalId, authBindingId: 'b' as AuthBindingId };
const holding = (...scopes: string[]): Access => ({
  identity,
  sessionIdentity: identity,
  scopes,
  limits: {},
});

const scheduled = (tool: unknown, args: object = {}) => ({
  name: 'job_schedule',
  arguments: { tool, arguments: args },
});

describe('requiredScopes', () => {
  it.each([
    ['tools/call', { name: 'echo' }, ['tools:echo']],
    ['tools/call', { name: 'a"\r\nx: y' }, ['tools:*']],
    ['tools/call', { name: 7 }, []],
    ['tools/call', { name: 'batch', arguments: { tool: 'echo' } }, ['tools:batch', 'tools:echo']],
    ['tools/call', { name: 'batch', arguments: { tool: 7 } }, ['tools:batch']],
    ['tools/call', { name: 'batch' }, ['tools:batch']],
    ['tools/call', { name: 'job_schedules' }, ['tasks:read']],
    ['tools/call', { name: 'job_unschedule' }, ['tasks:write']],
    ['tools/call', scheduled('echo'), ['tasks:write', 'tools:echo']],
    [
      'tools/call',
      scheduled('batch', { tool: 'fail' }),
      ['tasks:write', 'tools:batch', 'tools:fail'],
    ],
    // Refused, and not looked into any deeper.
    ['tools/call', scheduled('job_schedule', { tool: 'echo' }), ['tasks:write']],
    ['tools/call', scheduled(7), ['tasks:write']],
    ['tools/call', { name: 'job_schedule' }, ['tasks:write']],
    ['prompts/get', { name: 'p' }, ['prompts:*']],
    ['resources/read', { uri: 'a://b' }, ['resources:*']],
    ['resources/read', { uri: { toString: 'x' } }, ['resources:*']],
    ['resources/subscribe', { uri: 'a://b' }, ['resources:*']],
    ['completion/complete', { ref: { type: 'ref/prompt' } }, ['prompts:*']],
    ['completion/complete', { ref: { type: 'ref/resource' } }, ['resources:*']],
    ['completion/complete', { ref: null }, ['resources:*']],
    ['tasks/get', {}, ['tasks:read']],
    ['tasks/list', {}, ['tasks:read']],
    ['tasks/result', {}, ['tasks:read']],
    ['tasks/update', {}, ['tasks:write']],
    ['tasks/cancel', {}, ['tasks:write']],
    ['subscriptions/listen', { notifications: { toolsListChanged: true } }, []],
    ['subscriptions/listen', { notifications: { taskIds: [] } }, ['tasks:read']],
    [
      'subscriptions/listen',
      { notifications: { taskIds: ['a'], resourceSubscriptions: ['a://b'] } },
      ['tasks:read', 'resources:*'],
    ],
    ['initialize', {}, []],
    ['tools/list', {}, []],
  ])('%s %j needs %j', (method, params, scopes) => {
    expect(requiredScopes(method, params)).toEqual(scopes);
  });
});

describe('requireScopes', () => {
  it.each([
    ['tools:echo', 'tools:echo'],
    ['tools:*', 'tools:echo'],
    ['tools:*', 'prompts:*'],
    ['tools:*', 'resources:*'],
    ['tasks:read', 'tasks:read'],
  ])('%s admits %s', (granted, needed) => {
    expect(() => requireScopes(holding('other', granted), [needed])).not.toThrow();
  });

  it.each([
    ['tools:echo', 'tools:fail'],
    ['tools:echo', 'tools:*'],
    ['tools:*', 'tasks:read'],
    ['tools:*', 'tasks:write'],
    ['tasks:*', 'tasks:read'],
    ['tasks:read', 'tasks:write'],
    ['tasks:write', 'tasks:read'],
    ['prompts:*', 'resources:*'],
    ['prompts:*', 'tools:echo'],
    ['*', 'tools:echo'],
  ])('%s does not admit %s', (granted, needed) => {
    expect(() => requireScopes(holding(granted), [needed])).toThrow(
      expect.objectContaining({
        code: 'INSUFFICIENT_SCOPE',
        details: { requiredScopes: [needed] },
      }),
    );
  });

  it('needs nothing of those who may everything', () => {
    expect(() => requireScopes({ ...holding(), scopes: null }, ['tasks:write'])).not.toThrow();
  });
});

describe('requireActing', () => {
  it('refuses credentials that only read', () => {
    expect(() => requireActing(holding('tasks:read', 'openid'))).toThrow(
      expect.objectContaining({ code: 'INSUFFICIENT_SCOPE' }),
    );
    for (const scope of ['tasks:write', 'tools:echo', 'prompts:*']) {
      expect(() => requireActing(holding(scope))).not.toThrow();
    }
  });
});
