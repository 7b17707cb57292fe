import type { Requirement } from './requirement.ts';

/** Notifications about tasks: progress, status, log messages. */
export const MESSAGES = [
  {
    id: 'tasks-related-task',
    section: 'basic/utilities/tasks#associating-task-related-messages',
    level: 'MUST',
    sentence:
      'All requests, notifications, and responses related to a task MUST include the io.modelcontextprotocol/related-task key in their _meta field, with the value set to an object with a taskId matching the associated task ID.',
    checkable: true,
    note: 'Checked for progress and log messages; results and input requests have requirements of their own.',
  },
  {
    id: 'progress-original-token',
    section: 'basic/utilities/progress#behavior-requirements',
    level: 'MUST',
    sentence:
      'Progress notifications for tasks MUST use the same progressToken that was provided in the initial task-augmented request',
    checkable: true,
    note: 'Checked with a string and with the integer 0.',
  },
  {
    id: 'progress-increases',
    section: 'basic/utilities/progress#progress-flow',
    level: 'MUST',
    sentence:
      'The progress value MUST increase with each notification, even if the total is unknown.',
    checkable: true,
  },
  {
    id: 'progress-stops',
    section: 'basic/utilities/progress#behavior-requirements',
    level: 'MUST',
    sentence:
      'Progress notifications for tasks MUST stop after the task reaches a terminal status (completed, failed, or cancelled)',
    checkable: true,
    note: 'Messages on their way when the task ended are given a settle time (--settle-ms).',
  },
  {
    id: 'progress-active-token',
    section: 'basic/utilities/progress#behavior-requirements',
    level: 'MUST',
    sentence: 'Progress notifications MUST only reference tokens that:',
    checkable: true,
    note: 'A task created without a token has no progress notifications.',
  },
  {
    id: 'tasks-status-notification',
    section: 'basic/utilities/tasks#task-notifications',
    level: 'MAY',
    sentence:
      "Receivers MAY send notifications/tasks/status notifications when a task's status changes.",
    checkable: false,
    reason: 'An option; those that are sent are checked.',
  },
  {
    id: 'tasks-status-notification-full',
    section: 'basic/utilities/tasks#task-status-notification',
    level: 'MUST',
    sentence: 'This notification includes the full task state.',
    checkable: true,
    note: 'No RFC 2119 word; TaskStatusNotificationParams is NotificationParams & Task.',
  },
  {
    id: 'tasks-status-notification-no-related-task',
    section: 'basic/utilities/tasks#task-notifications',
    level: 'SHOULD',
    sentence:
      'When sent, the notifications/tasks/status notification SHOULD NOT include the io.modelcontextprotocol/related-task metadata, as the task ID is already present in the notification parameters.',
    checkable: true,
  },
  {
    id: 'logging-declared',
    section: 'server/utilities/logging#capabilities',
    level: 'MUST',
    sentence: 'Servers that emit log message notifications MUST declare the logging capability:',
    checkable: true,
  },
] as const satisfies readonly Requirement[];
