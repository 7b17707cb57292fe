import type { JsonObject, TaskId, TaskWithOutcome } from '@longshore/core';
import * as z from 'zod';
import type { ApiContext } from '../methods/api-context.ts';
import type { JobCaller } from './job-tool.ts';

const Uuid = z.uuid();

/** @returns null when what `job_id` names is none of the caller's jobs */
export async function findJob(
  context: ApiContext,
  caller: JobCaller,
  args: JsonObject,
): Promise<TaskWithOutcome | null> {
  const id = jobIdOf(args);
  const found = id === null ? null : await context.tasks.findWithOutcome(id, caller.principalId);
  return found?.task.listed === true ? found : null;
}

/** @returns null when it can not be an id of ours */
export function jobIdOf(args: JsonObject): TaskId | null {
  const parsed = Uuid.safeParse(args['job_id']);
  return parsed.success ? (parsed.data as TaskId) : null;
}
