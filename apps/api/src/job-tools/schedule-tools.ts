import {
  type AnnouncedTool,
  type JsonObject,
  LongshoreError,
  type Schedule,
} from '@longshore/core';
import { lackingCapabilities } from '@longshore/protocol';
import type { CallContext } from '../calls/call-context.ts';
import { checkRetry } from '../calls/check-retry.ts';
import { JOB_ONLY_ABILITIES } from '../calls/job-abilities.ts';
import { checkArgumentSize } from '../calls/task-submitter.ts';
import { isSame, newSchedule, pastTime, type WantedSchedule } from '../schedules/new-schedule.ts';
import { scheduleFacts, scheduleLine, scheduleStory } from '../schedules/schedule-wire.ts';
import { capitalized, failedCall, textResult } from '../tasks/job-text.ts';
import { placePage } from '../tasks/place-page.ts';
import { announcedJobTool, CURSOR, type JobCaller, type JobTool, READS } from './job-tool.ts';

const LIST_PAGE = 20;

/** A UUID would be mistaken for an id. */
const NAME_PATTERN =
  '^(?![0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$)[A-Za-z0-9_.-]{1,64}$';

export const jobSchedule: JobTool = {
  announced: announcedJobTool({
    name: 'job_schedule',
    title: 'Schedule a tool',
    description:
      'Runs a tool later: once (run_at), or again and again (cron). Each run is a background job of yours. Says the id of the schedule and when it runs next.',
    properties: {
      tool: { type: 'string', description: 'Name of the tool.' },
      arguments: { type: 'object', description: 'Its arguments, the same each time.' },
      cron: {
        type: 'string',
        maxLength: 256,
        description:
          'Minute, hour, day of month, month, day of week, such as "0 9 * * 1-5" for nine o’clock on weekdays; or @hourly, @daily, @weekly, @monthly.',
      },
      run_at: {
        type: 'string',
        maxLength: 64,
        description:
          'In place of cron: ISO 8601, such as 2027-03-01T09:00, a time in time_zone unless it has an offset.',
      },
      time_zone: {
        type: 'string',
        maxLength: 64,
        description: 'IANA name, such as Europe/Berlin; UTC unless said.',
      },
      name: {
        type: 'string',
        pattern: NAME_PATTERN,
        description: 'A name of your own for it: letters, digits, _ . and -.',
      },
      missed: {
        type: 'string',
        enum: ['skip', 'run_once', 'run_all'],
        description:
          'Times at which the server was away: skip them, run once for all of them (unless said), or run all, the latest hundred at most.',
      },
      overlap: {
        type: 'string',
        enum: ['skip', 'start'],
        description: 'When the run before has not ended: skip this one (unless said), or start it.',
      },
      ttl_ms: {
        type: 'integer',
        minimum: 1_000,
        maximum: 31_536_000_000,
        description: 'How long each job and its result are kept.',
      },
    },
    required: ['tool'],
    annotations: {
      readOnlyHint: false,
      destructiveHint: false,
      idempotentHint: false,
      openWorldHint: false,
    },
  }),
  run: (context, caller, args) =>
    sayingMistakes(() => add(context, caller, args as unknown as WantedSchedule)),
};

async function add(
  context: CallContext,
  caller: JobCaller,
  wanted: WantedSchedule,
): Promise<JsonObject> {
  const { schedules, wakes } = context;
  const limits = context.limitsOf(caller.access);
  await checkCall(context, caller, wanted, limits.argumentBytes);
  const { principalId, authBindingId } = caller;
  const now = await schedules.now();
  const schedule = newSchedule(wanted, { principalId, authBindingId }, now);
  const added = await schedules.add(schedule, limits.schedules);
  switch (added.kind) {
    case 'added':
      break;
    case 'too_many':
      return failedCall(
        `You have ${limits.schedules} schedules, the limit: remove one with job_unschedule first.`,
      );
    case 'past':
      throw pastTime(schedule.nextRunAt, schedule.timeZone, now);
    case 'name_taken':
      return nameTaken(added.schedule, isSame(added.schedule, schedule));
  }
  // The sweep makes up for it when the queue is away.
  await wakes.arm(schedule).catch((error: unknown) => {
    context.log.warn({ scheduleId: schedule.id, err: error }, 'schedule left to the sweep');
  });
  context.log.info({ scheduleId: schedule.id, tool: schedule.toolName }, 'schedule added');
  return told('Added: ', { ...schedule, ...UNRUN, createdAt: now });
}

const UNRUN = {
  state: 'active',
  lastRunAt: null,
  lastTaskId: null,
  runs: 0,
  skipped: 0,
  note: null,
} as const;

/**
 * As a call of the tool would be checked.
 * @throws {LongshoreError} INVALID_PARAMS · UNKNOWN_TOOL · ARGUMENTS_TOO_LARGE · INSUFFICIENT_SCOPE
 */
async function checkCall(
  context: CallContext,
  { access, principalId }: JobCaller,
  { tool: name, arguments: args = {} }: WantedSchedule,
  argumentBytes: number,
): Promise<void> {
  const tool = context.catalogue.tools.find(name);
  if (tool === null) throw new LongshoreError('UNKNOWN_TOOL', `There is no tool ${name} to run`);
  const problem =
    unschedulable(tool) ??
    context.validator.problem(tool, args) ??
    (await checkRetry(context, access, principalId, { name, arguments: args }));
  if (problem !== null) throw new LongshoreError('INVALID_PARAMS', problem);
  checkArgumentSize(args, argumentBytes);
}

function unschedulable({ name, taskSupport, requires }: AnnouncedTool): string | null {
  if (taskSupport === 'forbidden') return `Tool ${name} does not run as a task: call it directly`;
  const lacking = lackingCapabilities(JOB_ONLY_ABILITIES, requires);
  if (lacking === null) return null;
  return `Tool ${name} asks its client (${Object.keys(lacking).join(', ')}), and a schedule has none`;
}

function nameTaken(schedule: Schedule, isTheSame: boolean): JsonObject {
  if (isTheSame) return told('It is there already: ', schedule);
  return failedCall(
    `There is another schedule with this name: ${scheduleLine(schedule)}; ${scheduleStory(schedule)}. Remove it with job_unschedule first, or take another name.`,
  );
}

function told(what: string, schedule: Schedule): JsonObject {
  return textResult(
    `${what}${scheduleLine(schedule)}; ${scheduleStory(schedule)}. job_unschedule removes it, job_schedules shows what came of it.`,
    { schedule: scheduleFacts(schedule) },
  );
}

export const jobUnschedule: JobTool = {
  announced: announcedJobTool({
    name: 'job_unschedule',
    title: 'Remove a schedule',
    description: 'Removes a schedule: it runs no more. Jobs it has started go on.',
    properties: {
      schedule: {
        type: 'string',
        maxLength: 64,
        description: 'Its id or its name, as job_schedules shows them.',
      },
    },
    required: ['schedule'],
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: true,
      openWorldHint: false,
    },
  }),
  run: (context, { principalId }, args) =>
    sayingMistakes(async () => {
      const removed = await context.schedules.remove(principalId, String(args['schedule']));
      if (removed === null) {
        return failedCall(
          'There is no such schedule: it is unknown, removed, or of somebody else. job_schedules shows those there are.',
        );
      }
      await context.wakes.disarm(removed.id);
      context.log.info({ scheduleId: removed.id }, 'schedule removed');
      return textResult(`Removed: ${scheduleLine(removed)}.`, { schedule: scheduleFacts(removed) });
    }),
};

export const jobSchedules: JobTool = {
  announced: announcedJobTool({
    name: 'job_schedules',
    title: 'List schedules',
    description:
      'Lists your schedules, the newest first: when they run next, what came of them, what is wrong.',
    properties: CURSOR,
    required: [],
    annotations: READS,
  }),
  async run(context, { principalId }, { cursor }) {
    const from = typeof cursor === 'string' ? cursor : undefined;
    const { rows: shown, next } = await placePage<Schedule>(
      'schedules',
      { cursor: from, limit: LIST_PAGE },
      (limit, after) => context.schedules.list(principalId, limit, after),
    );
    const lines = shown.map(
      (schedule) => `${capitalized(scheduleLine(schedule))}; ${scheduleStory(schedule)}`,
    );
    return textResult(
      [
        ...(lines.length === 0 ? ['There are no schedules.'] : lines),
        ...(next === null ? [] : [`More with cursor ${next}`]),
      ].join('\n'),
      {
        schedules: shown.map(scheduleFacts),
        ...(next === null ? {} : { next_cursor: next }),
      },
    );
  },
};

/** A model can mend its mistakes: it is told of them as the result of its call. */
async function sayingMistakes(work: () => Promise<JsonObject>): Promise<JsonObject> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LongshoreError && MISTAKES.has(error.code))
      return failedCall(`${error.message}.`);
    throw error;
  }
}

const MISTAKES: ReadonlySet<string> = new Set([
  ...['INVALID_PARAMS', 'UNKNOWN_TOOL', 'ARGUMENTS_TOO_LARGE'],
]);
