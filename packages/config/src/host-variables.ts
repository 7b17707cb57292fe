import * as z from 'zod';
import { integer, type Variable, variable } from './variable.ts';

/** What hosts get that do less than the protocol has, or other than it says: docs/hosts.md. */
export const HOST_VARIABLES = {
  JOB_TOOLS: variable(
    z.enum(['auto', 'always', 'never']),
    'auto',
    'name',
    'Whom the tools job_wait, job_status, job_result, job_cancel, job_list, job_retry and job_answer are offered to, and who gets a job where a call takes longer than INLINE_WAIT_MS. auto: clients that do not declare that they know tasks, or show cards; never: there is no job card, and calls are held open as long as they take.',
  ),
  SCHEDULE_TOOLS: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'true',
    'true, false',
    'Whether the tools job_schedule, job_schedules and job_unschedule are offered. What is scheduled goes on either way.',
  ),
  MAX_SCHEDULES: variable(
    integer(0, 1_000_000_000),
    '1000',
    'schedules',
    'Schedules of one principal that have not ended; more are refused. 0: as many as it likes.',
  ),
  INLINE_WAIT_MS: variable(
    integer(10, 3_600_000),
    '20000',
    'ms',
    'How long a call without a task and without a progress token, and job_wait, are held before the client gets a job to come back for. One that shows cards gets it after 1.5 s.',
  ),
  PROGRESS_INTERVAL_MS: variable(
    integer(100, 3_600_000),
    '10000',
    'ms',
    'Longest pause between progress notifications to a client that waits for a call with a progress token: then the last one is sent again, a millionth higher, so that clients which give up on silence go on waiting.',
  ),
  COMPAT_REQUIRED_TOOLS: variable(
    z.enum(['error', 'inline']),
    'error',
    'name',
    'What a client without tasks gets that calls a tool which runs only as a task. error: the error of the protocol; inline: the tool runs as any other.',
  ),
  COMPAT_TOOL_ERRORS: variable(
    z.enum(['failed', 'completed']),
    'failed',
    'name',
    'What a task of 2025-11-25 is whose tool answered with isError. failed: as that revision says; completed: for hosts that throw away what came of a failed task, so that their model sees the error. Errors of the protocol are failed tasks either way.',
  ),
  COMPAT_TASK_NAME: variable(
    z.enum(['optional', 'required']),
    'optional',
    'name',
    'Whether tasks/get, tasks/update and tasks/cancel of 2026-07-28 need the header Mcp-Name. optional: a request without one is served, for clients that leave it out; required: it is refused, as that revision says. One that does not match is refused either way.',
  ),
  SSE_TRANSPORT: variable(
    z.enum(['true', 'false']).transform((text) => text === 'true'),
    'false',
    'true, false',
    'Serves the HTTP+SSE transport of 2024-11-05 as well, at /sse and /messages, for hosts that know no other. A client stays with the API that has its stream: with several of them the proxy must be sticky.',
  ),
} as const satisfies Record<string, Variable>;
