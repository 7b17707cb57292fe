import type {
  AnnouncedTool,
  CardToolName,
  JobToolName,
  JsonObject,
  ScheduleToolName,
  TaskSupport,
} from '@longshore/core';
import type { CallContext } from '../calls/call-context.ts';
import type { CallRow } from '../calls/call-row.ts';
import type { Caller } from '../calls/caller.ts';

/** Who calls a job tool. */
export interface JobCaller extends Omit<Caller, 'takeHeld' | 'wait'> {
  /** The row of a call of this client's that gets a handle at once. */
  readonly rowOf: (tool: AnnouncedTool, args: JsonObject) => CallRow;
}

/** A tool of the server's own: for clients that know nothing of tasks, or for what no method does. */
export interface JobTool {
  readonly announced: AnnouncedTool;
  /**
   * @param args they fit the input schema
   * @returns a CallToolResult; null when nobody waits for it any more
   * @throws {LongshoreError} TASK_NOT_FOUND (task_id names none of the caller's jobs) · DATABASE_UNAVAILABLE; of
   *   job_retry also INSUFFICIENT_SCOPE and what `TaskSubmitter.submit` throws
   */
  run(context: CallContext, caller: JobCaller, args: JsonObject): Promise<JsonObject | null>;
}

/** As the catalogue would have it, so that it is listed and its arguments are checked the same way. */
export function announcedJobTool(tool: {
  readonly name: JobToolName | ScheduleToolName | CardToolName;
  readonly title: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  readonly annotations: JsonObject;
}): AnnouncedTool {
  const taskSupport: TaskSupport = 'forbidden';
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    inputSchema: {
      type: 'object',
      properties: tool.properties,
      required: [...tool.required],
      additionalProperties: false,
    },
    outputSchema: null,
    annotations: tool.annotations,
    taskSupport,
    asksFirst: false,
    requires: [],
    immediateResponse: null,
    policy: NEVER_RUN,
    version: null,
    deprecated: null,
    cost: null,
    card: null,
    fingerprint: null,
    plugin: 'longshore',
    pluginVersion: '',
  };
}

/** No worker runs it. */
const NEVER_RUN: AnnouncedTool['policy'] = {
  queue: '',
  timeoutMs: 0,
  maxAttempts: 1,
  backoff: { baseMs: 0, factor: 1, maxMs: 0 },
  deadlineMs: null,
  concurrency: null,
  rate: null,
};

export const TASK_ID: JsonObject = {
  task_id: {
    type: 'string',
    description: 'Id of the job, as the call that started it or job_list gave it.',
  },
};

export const CURSOR: JsonObject = {
  cursor: {
    type: 'string',
    description: 'next_cursor of the page before; leave out to start.',
  },
};

export const READS: JsonObject = { readOnlyHint: true, openWorldHint: false };

/** What it runs may do anything, and once more each time. */
export const RUNS_AGAIN: JsonObject = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
};

/** Of arguments that fit a schema with TASK_ID. */
export const taskIdOf = (args: JsonObject): string => String(args['task_id']);
