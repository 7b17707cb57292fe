import * as z from 'zod';
import { numberOf } from './batch-command.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-command.ts';
import { requireTool } from './run-as-task.ts';
import { showResult } from './show-result.ts';
import { cellOf, tableOf } from './table.ts';
import { argumentsOf, argumentsOfPairs } from './tool-arguments.ts';

type Json = Readonly<Record<string, unknown>>;

const Schedule = z.looseObject({
  schedule_id: z.string(),
  name: z.string().optional(),
  tool: z.string(),
  state: z.string(),
  cron: z.string().optional(),
  run_at: z.string().optional(),
  time_zone: z.string(),
  next_runs: z.array(z.string()),
  runs: z.number(),
  skipped: z.number(),
  note: z.string().optional(),
});
type Schedule = z.output<typeof Schedule>;

const One = z.looseObject({ structuredContent: z.object({ schedule: Schedule }) });
const Page = z.looseObject({
  structuredContent: z.object({
    schedules: z.array(Schedule),
    next_cursor: z.string().optional(),
  }),
});

const DEFAULT_LIMIT = 20;

/** Options that are arguments of `job_schedule` under another name. */
const OPTIONS = {
  cron: 'cron',
  at: 'run_at',
  'time-zone': 'time_zone',
  name: 'name',
  missed: 'missed',
  overlap: 'overlap',
} as const;

/** `schedule add TOOL`. @returns the exit code */
export async function addScheduleCommand(context: ClientContext): Promise<number> {
  const { command } = context;
  const [tool = ''] = command.positionals;
  const when = [command.text('cron'), command.text('at')].filter((text) => text !== undefined);
  if (when.length !== 1) {
    throw new CliError(
      EXIT.usage,
      'schedule add needs --cron EXPRESSION or --at TIME, one of them',
    );
  }
  const file = command.text('json');
  // Read before anything is asked: what is wrong here needs no server.
  const given = file === undefined ? {} : argumentsOf(file);
  argumentsOfPairs(command.list('arg'), null);
  const schema = await requireTool(context, tool);
  const options = Object.entries(OPTIONS).flatMap(([option, argument]) => {
    const value = command.text(option);
    return value === undefined ? [] : [[argument, value] as const];
  });
  return showAnswer(context, 'job_schedule', {
    tool,
    arguments: { ...given, ...argumentsOfPairs(command.list('arg'), schema) },
    ...Object.fromEntries(options),
  });
}

/** `schedule remove ID|NAME`. @returns the exit code */
export function removeScheduleCommand(context: ClientContext): Promise<number> {
  const [schedule = ''] = context.command.positionals;
  return showAnswer(context, 'job_unschedule', { schedule });
}

/** `schedule list`. @returns the exit code */
export async function listSchedulesCommand(context: ClientContext): Promise<number> {
  const { command, print, isJson } = context;
  const limit = numberOf('limit', command.text('limit')) ?? DEFAULT_LIMIT;
  const schedules: Schedule[] = [];
  let cursor: string | undefined;
  do {
    const answer = await call(context, 'job_schedules', cursor === undefined ? {} : { cursor });
    const page = Page.safeParse(answer);
    if (!page.success) {
      throw new CliError(
        EXIT.failed,
        `the server lists no schedules: ${showResult(answer, false)}`,
      );
    }
    schedules.push(...page.data.structuredContent.schedules);
    cursor = page.data.structuredContent.next_cursor;
  } while (cursor !== undefined && schedules.length < limit);
  const shown = schedules.slice(0, limit);
  print(isJson ? JSON.stringify(shown, null, 2) : table(shown));
  return 0;
}

/** With `--output json` the schedule alone, as `schedule list` has it. */
async function showAnswer(context: ClientContext, tool: string, args: Json): Promise<number> {
  const { print, isJson } = context;
  const answer = await call(context, tool, args);
  if (answer['isError'] === true) throw new CliError(EXIT.failed, showResult(answer, false));
  const { schedule } = One.parse(answer).structuredContent;
  print(isJson ? JSON.stringify(schedule, null, 2) : showResult(answer, false));
  return 0;
}

function call({ client, stop }: ClientContext, name: string, args: Json): Promise<Json> {
  return client.request('tools/call', { name, arguments: args }, { signal: stop });
}

function table(schedules: readonly Schedule[]): string {
  if (schedules.length === 0) return 'there are no schedules';
  return tableOf([
    ['ID', 'NAME', 'TOOL', 'STATE', 'WHEN', 'NEXT', 'RUNS', 'SKIPPED', 'SAYS'],
    ...schedules.map((schedule) => [
      schedule.schedule_id,
      schedule.name ?? '',
      schedule.tool,
      schedule.state,
      schedule.cron === undefined
        ? `at ${schedule.run_at ?? ''}`
        : `${schedule.cron} ${schedule.time_zone}`,
      schedule.next_runs[0] ?? '',
      String(schedule.runs),
      String(schedule.skipped),
      cellOf(schedule.note ?? ''),
    ]),
  ]);
}
