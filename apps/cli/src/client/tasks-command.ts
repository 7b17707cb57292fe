import * as z from 'zod';
import { numberOf } from './batch-command.ts';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-command.ts';
import { getTask, type TaskState } from './follow-task.ts';
import { followStarted, seeToItsEnd } from './run-as-task.ts';
import { showResult } from './show-result.ts';
import { cellOf, tableOf } from './table.ts';

const Job = z.looseObject({
  job_id: z.string(),
  tool: z.string(),
  status: z.string(),
  status_message: z.string().optional(),
  progress: z.number().optional(),
  total: z.number().optional(),
  created_at: z.string(),
});
const Page = z.object({
  structuredContent: z.object({ jobs: z.array(Job), next_cursor: z.string().optional() }),
});
type Job = z.output<typeof Job>;
const Retried = z.object({ structuredContent: z.object({ job: Job }) });

const DEFAULT_LIMIT = 20;

/** `tasks list`. The protocol of this era has no list of tasks; the server's tool `job_list` does the same. */
export async function listTasksCommand(context: ClientContext): Promise<number> {
  const { client, command, print, isJson, stop } = context;
  const limit = numberOf('limit', command.text('limit')) ?? DEFAULT_LIMIT;
  const jobs: Job[] = [];
  let cursor: string | undefined;
  do {
    const args = cursor === undefined ? {} : { cursor };
    const answer = await client.request(
      'tools/call',
      { name: 'job_list', arguments: args },
      { signal: stop },
    );
    const page = Page.safeParse(answer);
    if (!page.success) {
      throw new CliError(EXIT.failed, `the server lists no tasks: ${showResult(answer, false)}`);
    }
    jobs.push(...page.data.structuredContent.jobs);
    cursor = page.data.structuredContent.next_cursor;
  } while (cursor !== undefined && jobs.length < limit);
  const shown = jobs.slice(0, limit);
  print(isJson ? JSON.stringify(shown, null, 2) : table(shown));
  return 0;
}

/** `tasks show ID`. */
export async function showTaskCommand(context: ClientContext): Promise<number> {
  const { client, command, print, isJson } = context;
  const task = await getTask(client, command.positionals[0] ?? '');
  const { resultType: _wire, _meta, ...shown } = task;
  print(isJson ? JSON.stringify(shown, null, 2) : describe(task));
  return 0;
}

/** `tasks tail ID`. */
export function tailTaskCommand(context: ClientContext): Promise<number> {
  return seeToItsEnd(context, context.command.positionals[0] ?? '');
}

/** `tasks cancel ID`. */
export async function cancelTaskCommand(context: ClientContext): Promise<number> {
  const { client, command, print, isJson } = context;
  const taskId = command.positionals[0] ?? '';
  await client.request('tasks/cancel', { taskId });
  const { status } = await getTask(client, taskId);
  print(isJson ? JSON.stringify({ taskId, status }) : `task ${taskId} is ${status}`);
  return status === 'cancelled' ? 0 : EXIT.failed;
}

/** `tasks retry ID`. */
export async function retryTaskCommand(context: ClientContext): Promise<number> {
  const { client, command, stderr } = context;
  const call = { name: 'job_retry', arguments: { job_id: command.positionals[0] ?? '' } };
  // Not given up half-way: then nobody would know whether there is a task.
  const answer = await client.request('tools/call', call);
  const started = Retried.safeParse(answer);
  if (!started.success) throw new CliError(EXIT.failed, showResult(answer, false));
  const { job_id: taskId } = started.data.structuredContent.job;
  if (!command.flag('detach')) stderr.write(`task ${taskId}\n`);
  return followStarted(context, taskId);
}

function describe(task: TaskState): string {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, result, error } = task;
  const lines = [
    ['id', taskId],
    ['status', status],
    ['says', statusMessage ?? ''],
    ['created', createdAt],
    ['updated', lastUpdatedAt],
  ]
    .filter(([, value]) => value !== '')
    .map(([label = '', value = '']) => `${label.padEnd(8)} ${value}`);
  if (result !== undefined) lines.push('', showResult(result, false));
  if (error !== undefined) lines.push('', `error ${error.code}: ${error.message}`);
  return lines.join('\n');
}

function table(jobs: readonly Job[]): string {
  if (jobs.length === 0) return 'there are no tasks';
  const rows = [
    ['ID', 'TOOL', 'STATUS', 'PROGRESS', 'CREATED', 'SAYS'],
    ...jobs.map((job) => [
      job.job_id,
      job.tool,
      job.status,
      progressOf(job),
      job.created_at,
      cellOf(job.status_message ?? ''),
    ]),
  ];
  return tableOf(rows);
}

function progressOf({ progress, total }: Job): string {
  if (progress === undefined) return '';
  return total === undefined ? String(progress) : `${progress}/${total}`;
}
