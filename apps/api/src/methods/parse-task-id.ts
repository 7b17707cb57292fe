import type { TaskId } from '@longshore/core';
import * as z from 'zod';
import { taskNotFound } from './task-not-found.ts';

const Uuid = z.uuid();

/**
 * A string that can not be one of our ids is an unknown task, not a malformed request: clients can not
 * tell unknown, expired and foreign tasks apart.
 *
 * @throws {LongshoreError} TASK_NOT_FOUND
 */
export function parseTaskId(text: string): TaskId {
  if (!Uuid.safeParse(text).success) throw taskNotFound();
  return text as TaskId;
}
