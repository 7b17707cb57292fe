import { LongshoreError } from '@longshore/core';

/** Unknown, expired and foreign tasks are one case: nobody can tell them apart. */
export const taskNotFound = (): LongshoreError =>
  new LongshoreError('TASK_NOT_FOUND', 'Task not found');
