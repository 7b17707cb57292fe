import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';
import { Job, statusOf } from './jobs.ts';
import { localTime, sinceTime } from './local-time.ts';
import { showResult } from './show-result.ts';
import { fittingTable } from './table.ts';

const Page = z.object({
  structuredContent: z.object({ jobs: z.array(Job), next_cursor: z.string().optional() }),
});

export interface ListOptions {
  readonly status?: string | undefined;
  readonly tool?: string | undefined;
  readonly since?: string | undefined;
  readonly limit: number;
}

/**
 * `tasks list`. The protocol of this era has no list of tasks; the server's tool `job_list` does the same, and what is
 * wanted of it is picked here.
 *
 * @returns the exit code
 */
export async function listTasksCommand(
  context: ClientContext,
  options: ListOptions,
): Promise<number> {
  const { print, isJson, columns } = context;
  const since = options.since === undefined ? null : sinceTime(options.since, new Date());
  const found: Job[] = [];
  for await (const job of allJobs(context)) {
    // The newest come first: from here on all are older.
    if (since !== null && new Date(job.created_at) < since) break;
    if (isWanted(job, options)) found.push(job);
    if (found.length === options.limit) break;
  }
  print(isJson ? JSON.stringify(found, null, 2) : table(found, options, columns));
  return 0;
}

function isWanted(job: Job, { status, tool }: ListOptions): boolean {
  if (tool !== undefined && job.tool !== tool) return false;
  return status === undefined || status === job.status || status === job.phase;
}

async function* allJobs({ client, stop, again }: ClientContext): AsyncGenerator<Job> {
  let cursor: string | undefined;
  do {
    const call = { name: 'job_list', arguments: cursor === undefined ? {} : { cursor } };
    const answer = await client.request('tools/call', call, { signal: stop, isRepeatable: true });
    const page = Page.safeParse(answer);
    if (!page.success) {
      const said = showResult(answer, { isJson: false, again });
      throw new CliError(EXIT.failed, `the server lists no tasks: ${said}`);
    }
    yield* page.data.structuredContent.jobs;
    cursor = page.data.structuredContent.next_cursor;
  } while (cursor !== undefined);
}

function table(jobs: readonly Job[], options: ListOptions, columns: number | null): string {
  if (jobs.length === 0) {
    const { status, tool, since } = options;
    const isPicky = [status, tool, since].some((wish) => wish !== undefined);
    return isPicky ? 'there are no such tasks' : 'there are no tasks';
  }
  return fittingTable(
    [
      ['ID', 'CREATED', 'STATUS', 'TOOL', 'PROGRESS', 'SAYS'],
      ...jobs.map((job) => [
        job.task_id,
        localTime(job.created_at),
        statusOf(job),
        job.tool,
        progressOf(job),
        job.status_message ?? '',
      ]),
    ],
    columns,
  );
}

function progressOf({ progress, total }: Job): string {
  if (progress === undefined) return '';
  return total === undefined ? String(progress) : `${progress}/${total}`;
}
