import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';
import { inCommands, showResult } from './show-result.ts';
import { fittingTable } from './table.ts';
import { argumentsOf, argumentsOfPairs } from './tool-arguments.ts';
import { requireTool } from './tools.ts';

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

export interface ScheduleOptions {
  readonly cron?: string | undefined;
  readonly at?: string | undefined;
  readonly timeZone?: string | undefined;
  readonly name?: string | undefined;
  readonly missed?: string | undefined;
  readonly overlap?: string | undefined;
  /** NAME=VALUE each. */
  readonly arg: readonly string[];
  readonly json?: string | undefined;
}

/** `schedule add TOOL`. @returns the exit code */
export async function addScheduleCommand(
  context: ClientContext,
  tool: string,
  options: ScheduleOptions,
): Promise<number> {
  const { cron, at, timeZone, name, missed, overlap, arg, json } = options;
  if (cron === undefined && at === undefined) {
    throw new CliError(
      EXIT.usage,
      'schedule add needs --cron EXPRESSION or --at TIME, one of them',
    );
  }
  // Read before anything is asked: what is wrong here needs no server.
  const given = json === undefined ? {} : argumentsOf(json);
  argumentsOfPairs(arg, null);
  const { inputSchema } = await requireTool(context, tool);
  const wishes = { cron, run_at: at, time_zone: timeZone, name, missed, overlap };
  const said = Object.entries(wishes).filter(([, value]) => value !== undefined);
  return showAnswer(context, 'job_schedule', {
    tool,
    arguments: { ...given, ...argumentsOfPairs(arg, inputSchema) },
    ...Object.fromEntries(said),
  });
}

/** `schedule remove ID|NAME`. @returns the exit code */
export function removeScheduleCommand(context: ClientContext, schedule: string): Promise<number> {
  return showAnswer(context, 'job_unschedule', { schedule });
}

/** `schedule list`. @returns the exit code */
export async function listSchedulesCommand(
  context: ClientContext,
  { limit }: { readonly limit: number },
): Promise<number> {
  const { print, isJson, again, columns } = context;
  const schedules: Schedule[] = [];
  let cursor: string | undefined;
  do {
    const answer = await call(context, 'job_schedules', cursor === undefined ? {} : { cursor });
    const page = Page.safeParse(answer);
    if (!page.success) {
      const said = showResult(answer, { isJson: false, again });
      throw new CliError(EXIT.failed, `the server lists no schedules: ${said}`);
    }
    schedules.push(...page.data.structuredContent.schedules);
    cursor = page.data.structuredContent.next_cursor;
  } while (cursor !== undefined && schedules.length < limit);
  const shown = schedules.slice(0, limit);
  print(isJson ? JSON.stringify(shown, null, 2) : table(shown, columns));
  return 0;
}

/** With `--output json` the schedule alone, as `schedule list` has it. */
async function showAnswer(context: ClientContext, tool: string, args: Json): Promise<number> {
  const { print, isJson, again } = context;
  const answer = await call(context, tool, args);
  const said = inCommands(showResult(answer, { isJson: false, again }), again);
  if (answer['isError'] === true) throw new CliError(EXIT.failed, said);
  const { schedule } = One.parse(answer).structuredContent;
  print(isJson ? JSON.stringify(schedule, null, 2) : said);
  return 0;
}

function call({ client, stop }: ClientContext, name: string, args: Json): Promise<Json> {
  return client.request('tools/call', { name, arguments: args }, { signal: stop });
}

function table(schedules: readonly Schedule[], columns: number | null): string {
  if (schedules.length === 0) return 'there are no schedules';
  return fittingTable(
    [
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
        schedule.note ?? '',
      ]),
    ],
    columns,
  );
}
