/** Runs another tool over many argument sets. Workers offer it. */
export const BATCH_TOOL = 'batch';

/** Runs the items of a batch again that failed. Workers offer it. */
export const RETRY_TOOL = 'retry_failed';

/** Work on tasks, for clients that know nothing of them. The API answers them. */
export const JOB_TOOL_NAMES = [
  'job_answer',
  'job_cancel',
  'job_list',
  'job_result',
  'job_retry',
  'job_status',
  'job_wait',
] as const;
export type JobToolName = (typeof JOB_TOOL_NAMES)[number];

/** Make, drop and list schedules. The API answers them too. */
export const SCHEDULE_TOOL_NAMES = ['job_schedule', 'job_schedules', 'job_unschedule'] as const;
export type ScheduleToolName = (typeof SCHEDULE_TOOL_NAMES)[number];

/** What only the job card calls. The API answers them too. */
export const CARD_TOOL_NAMES = ['job_find', 'job_retry_failed'] as const;
export type CardToolName = (typeof CARD_TOOL_NAMES)[number];

/** Names of tools that every server has, which no plugin may give to its own. */
export const RESERVED_TOOL_NAMES: ReadonlySet<string> = new Set([
  BATCH_TOOL,
  RETRY_TOOL,
  ...JOB_TOOL_NAMES,
  ...SCHEDULE_TOOL_NAMES,
  ...CARD_TOOL_NAMES,
]);
