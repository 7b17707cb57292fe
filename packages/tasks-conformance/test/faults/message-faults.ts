import type { Fault } from './fault.ts';
import { paramsOf, resultOf, without } from './rewrite.ts';

/** Notifications. */
export const MESSAGE_FAULTS: readonly Fault[] = [
  {
    name: 'uses the task id as progress token',
    breaks: 'progress-original-token',
    found: ['progress-original-token'],
    outgoing: (message, task) =>
      paramsOf('notifications/progress', (params) => ({ ...params, progressToken: task.id }))(
        message,
        task,
      ),
  },
  {
    name: 'writes progress tokens as strings',
    breaks: 'progress-original-token',
    found: ['progress-original-token'],
    outgoing: paramsOf('notifications/progress', (params) => ({
      ...params,
      progressToken: String(params['progressToken']),
    })),
  },
  {
    name: 'repeats progress values',
    breaks: 'progress-increases',
    found: ['progress-increases'],
    // Equal messages on two streams look like one that was sent to both.
    looksLike: ['transport-no-broadcast/notification'],
    outgoing: paramsOf('notifications/progress', (params) => ({ ...params, progress: 1 })),
  },
  {
    name: 'writes progress in words',
    breaks: 'progress-increases',
    found: ['progress-increases'],
    outgoing: paramsOf('notifications/progress', (params) => ({
      ...params,
      progress: `${String(params['progress'])} done`,
    })),
  },
  {
    name: 'goes on with progress after the end',
    breaks: 'progress-stops',
    found: ['progress-stops'],
    switches: ['progress after the end'],
  },
  {
    name: 'sends progress nobody asked for',
    breaks: 'progress-active-token',
    found: ['progress-active-token'],
    switches: ['tokens nobody gave'],
  },
  {
    name: 'sends progress without related-task metadata',
    breaks: 'tasks-related-task',
    found: ['tasks-related-task/progress'],
    outgoing: paramsOf('notifications/progress', (params) => without(params, '_meta')),
  },
  {
    name: 'sends log messages without related-task metadata',
    breaks: 'tasks-related-task',
    found: ['tasks-related-task/log'],
    outgoing: paramsOf('notifications/message', (params) => without(params, '_meta')),
  },
  {
    name: 'sends log messages without having declared them',
    breaks: 'logging-declared',
    found: ['logging-declared'],
    answer: resultOf('initialize', (result) => ({
      ...result,
      capabilities: without(result['capabilities'] as Record<string, unknown>, 'logging'),
    })),
  },
  {
    name: 'sends the status only in status notifications',
    breaks: 'tasks-status-notification-full',
    found: ['tasks-status-notification-full'],
    outgoing: paramsOf('notifications/tasks/status', ({ taskId, status }) => ({ taskId, status })),
  },
  {
    name: 'sends related-task metadata with status notifications',
    breaks: 'tasks-status-notification-no-related-task',
    found: ['tasks-status-notification-no-related-task'],
    outgoing: paramsOf('notifications/tasks/status', (params) => ({
      ...params,
      _meta: { 'io.modelcontextprotocol/related-task': { taskId: params['taskId'] } },
    })),
  },
];
