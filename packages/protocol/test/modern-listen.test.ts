import { describe, expect, it } from '@jest/globals';
import { specTypeSchemas } from '@modelcontextprotocol/client';
import {
  readAcceptedTaskIdsV2,
  TaskStatusNotificationV2Schema,
} from '@modelcontextprotocol/ext-tasks/core/v2';
import {
  acknowledged,
  listenResult,
  onSubscription,
  taskNotification,
} from '../src/modern/listen.ts';
import { detailedTask } from '../src/modern/task-wire.ts';
import { notification } from '../src/shared/json-rpc.ts';
import { finishedTask, OUTCOMES, openTask, question } from './support/tasks.ts';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

describe('acknowledged', () => {
  it.each([11, '11'])('names the listen request %p in its own type', (id) => {
    const message = acknowledged(id, { toolsListChanged: true, taskIds: ['a'] });
    expect(message).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: {
        notifications: { toolsListChanged: true, taskIds: ['a'] },
        _meta: { [SUBSCRIPTION]: id },
      },
    });
    const schema = specTypeSchemas.SubscriptionsAcknowledgedNotification['~standard'];
    expect(schema.validate(message).issues).toBeUndefined();
  });

  it.each([
    ['nothing', {}, {}],
    ['what the client declined', { toolsListChanged: false, promptsListChanged: undefined }, {}],
    [
      'all there is',
      { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['a:b'] },
      { promptsListChanged: true, resourcesListChanged: true, resourceSubscriptions: ['a:b'] },
    ],
    ['none of the tasks', { taskIds: [] }, { taskIds: [] }],
  ])('honors %s', (_what, honored, notifications) => {
    expect(acknowledged(1, honored).params).toMatchObject({ notifications });
    expect(Object.keys(Object(acknowledged(1, honored).params?.['notifications']))).toEqual(
      Object.keys(notifications),
    );
  });

  it('says which tasks are listened to, as the official client reads it', () => {
    const { params } = acknowledged(1, { taskIds: ['a', 'b'] });
    expect(readAcceptedTaskIdsV2(params)).toEqual(['a', 'b']);
  });
});

describe('onSubscription', () => {
  it('marks a notification and keeps what it has', () => {
    const own = notification('notifications/resources/updated', { uri: 'a:b', _meta: { x: 1 } });
    expect(onSubscription('s', own)).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/resources/updated',
      params: { uri: 'a:b', _meta: { x: 1, [SUBSCRIPTION]: 's' } },
    });
  });

  it('marks a notification without params', () => {
    const bare = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' } as const;
    expect(onSubscription(3, bare).params).toEqual({ _meta: { [SUBSCRIPTION]: 3 } });
  });
});

describe('taskNotification', () => {
  it.each([
    detailedTask(openTask('working'), null, [], 500),
    detailedTask(openTask('input_required'), null, [question('a')], 500),
    detailedTask(openTask('cancelled'), null, [], 500),
    detailedTask(finishedTask('result'), OUTCOMES.result, [], 500),
    detailedTask(finishedTask('tool_error'), OUTCOMES.tool_error, [], 500),
    detailedTask(finishedTask('error'), OUTCOMES.error, [], 500),
  ])('carries the whole task: $status', (detailed) => {
    const message = onSubscription(11, taskNotification(detailed));
    expect(message.params).toEqual({ ...detailed, _meta: { [SUBSCRIPTION]: 11 } });
    expect(TaskStatusNotificationV2Schema.safeParse(message).error).toBeUndefined();
  });
});

describe('listenResult', () => {
  it('ends the subscription it names', () => {
    const result = listenResult(11, { name: 's', version: '1' });
    expect(result).toEqual({
      resultType: 'complete',
      _meta: {
        [SUBSCRIPTION]: 11,
        'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' },
      },
    });
    const schema = specTypeSchemas.SubscriptionsListenResult['~standard'];
    expect(schema.validate(result).issues).toBeUndefined();
  });
});
