import type { CardToolName, JobToolName, ScheduleToolName } from '@longshore/core';

/** What a credential needs for a tool that works on tasks. */
export type JobScope = 'tasks:read' | 'tasks:write';

/** As for the method that does the same. */
export const JOB_TOOL_SCOPES: Readonly<
  Record<JobToolName | ScheduleToolName | CardToolName, JobScope>
> = {
  job_answer: 'tasks:write',
  job_cancel: 'tasks:write',
  job_find: 'tasks:read',
  job_list: 'tasks:read',
  job_result: 'tasks:read',
  job_retry: 'tasks:write',
  job_retry_failed: 'tasks:write',
  job_schedule: 'tasks:write',
  job_schedules: 'tasks:read',
  job_status: 'tasks:read',
  job_unschedule: 'tasks:write',
  job_wait: 'tasks:read',
};

const SCOPES: ReadonlyMap<unknown, JobScope> = new Map(Object.entries(JOB_TOOL_SCOPES));

/** The scope a tool of the server's own needs; null: the name is a plugin's to give. */
export function jobToolScope(name: unknown): JobScope | null {
  return SCOPES.get(name) ?? null;
}
