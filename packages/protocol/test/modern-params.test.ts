import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@longshore/core';
import { type ModernMethod, parseModernParams } from '../src/modern/methods.ts';
import { ENVELOPE } from './support/modern-post.ts';
import { refusal } from './support/wire-error.ts';

const elicited = { action: 'accept', content: { name: 'Luca' } };
const round = { inputResponses: { user_name: elicited }, requestState: 'sealed' };

describe('parseModernParams', () => {
  it.each<[ModernMethod, JsonObject, JsonObject]>([
    ['server/discover', {}, {}],
    ['tools/list', {}, {}],
    ['tools/list', { cursor: 'c' }, { cursor: 'c' }],
    ['tools/call', { name: 't' }, { name: 't', arguments: {} }],
    // The hint of the legacy era is ignored, however wrong it is.
    ['tools/call', { name: 't', task: { ttl: -1 } }, { name: 't', arguments: {} }],
    [
      'tools/call',
      { name: 't', arguments: { a: 1 }, ...round },
      { name: 't', arguments: { a: 1 }, ...round },
    ],
    ['prompts/list', {}, {}],
    ['prompts/get', { name: 'p' }, { name: 'p', arguments: {} }],
    [
      'prompts/get',
      { name: 'p', arguments: { a: 'b' }, ...round },
      { name: 'p', arguments: { a: 'b' }, ...round },
    ],
    ['resources/list', {}, {}],
    ['resources/templates/list', { cursor: 'c' }, { cursor: 'c' }],
    ['resources/read', { uri: 'a:b', ...round }, { uri: 'a:b', ...round }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
      { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/resource', uri: 'a:{b}' },
        argument: { name: 'b', value: 'x' },
        context: { arguments: { c: 'd' } },
      },
      {
        ref: { type: 'ref/resource', uri: 'a:{b}' },
        argument: { name: 'b', value: 'x' },
        context: { arguments: { c: 'd' } },
      },
    ],
    ['tasks/get', { taskId: 'x' }, { taskId: 'x' }],
    ['tasks/cancel', { taskId: 'x' }, { taskId: 'x' }],
    // Answers are judged by their question; those to nobody's question are ignored, junk or not.
    [
      'tasks/update',
      {
        taskId: 'x',
        inputResponses: { a: elicited, 'unknown-key': { ignored: true }, b: 5, c: null },
      },
      {
        taskId: 'x',
        inputResponses: { a: elicited, 'unknown-key': { ignored: true }, b: 5, c: null },
      },
    ],
    ['subscriptions/listen', { notifications: {} }, { notifications: {} }],
    [
      'subscriptions/listen',
      {
        notifications: {
          toolsListChanged: true,
          taskIds: ['x'],
          resourceSubscriptions: ['a:b'],
          other: 1,
        },
      },
      { notifications: { toolsListChanged: true, taskIds: ['x'], resourceSubscriptions: ['a:b'] } },
    ],
  ])('takes %s with %j', (method, params, parsed) => {
    expect(parseModernParams(method, { ...params, _meta: ENVELOPE })).toEqual({
      ...parsed,
      ...(method === 'tools/call' ? { _meta: {} } : {}),
    });
  });

  it.each<[ModernMethod, JsonObject, string]>([
    ['tools/list', { cursor: 5 }, 'cursor'],
    ['tools/call', {}, 'name'],
    ['tools/call', { name: '' }, 'name'],
    ['tools/call', { name: 't', arguments: [] }, 'arguments must be an object'],
    ['tools/call', { name: 't', inputResponses: [] }, 'inputResponses'],
    ['tools/call', { name: 't', requestState: {} }, 'requestState'],
    ['prompts/get', { name: 'p', arguments: { a: 1 } }, 'arguments.a'],
    ['resources/read', {}, 'uri'],
    ['completion/complete', { ref: { type: 'ref/tool' }, argument: {} }, 'ref.type'],
    ['tasks/get', {}, 'taskId'],
    ['tasks/update', { taskId: 'x' }, 'inputResponses'],
    ['tasks/cancel', { taskId: 5 }, 'taskId'],
    ['subscriptions/listen', {}, 'notifications'],
    ['subscriptions/listen', { notifications: { taskIds: 'x' } }, 'notifications.taskIds'],
    [
      'subscriptions/listen',
      { notifications: { toolsListChanged: 1 } },
      'notifications.toolsListChanged',
    ],
  ])('refuses %s with %j and says where', (method, params, where) => {
    const run = () => parseModernParams(method, params);
    expect(refusal(run)).toMatchObject({ code: 'INVALID_PARAMS', rpc: -32602, http: 200 });
    expect(run).toThrow(`Invalid params for ${method}: `);
    expect(run).toThrow(where);
  });
});
