import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';
import { getTask } from './follow-task.ts';
import { Job } from './jobs.ts';
import { type FollowOptions, followStarted, seeToItsEnd } from './run-as-task.ts';
import { inCommands, showResult } from './show-result.ts';

const Retried = z.object({ structuredContent: z.object({ job: Job }) });

/** `tasks tail ID`. @returns the exit code */
export function tailTaskCommand(
  context: ClientContext,
  taskId: string,
  options: Pick<FollowOptions, 'cancelOnInterrupt'>,
): Promise<number> {
  return seeToItsEnd(context, taskId, { ...options, watch: true });
}

/** `tasks cancel ID`. @returns the exit code */
export async function cancelTaskCommand(context: ClientContext, taskId: string): Promise<number> {
  const { client, print, isJson } = context;
  await client.request('tasks/cancel', { taskId });
  const { status } = await getTask(client, taskId);
  print(isJson ? JSON.stringify({ taskId, status }) : `task ${taskId} is ${status}`);
  return status === 'cancelled' ? 0 : EXIT.failed;
}

/** `tasks retry ID`. @returns the exit code */
export async function retryTaskCommand(
  context: ClientContext,
  taskId: string,
  options: FollowOptions,
): Promise<number> {
  const { client, again } = context;
  const call = { name: 'job_retry', arguments: { task_id: taskId } };
  // Not given up half-way: then nobody would know whether there is a task.
  const answer = await client.request('tools/call', call);
  const started = Retried.safeParse(answer);
  if (!started.success) {
    const said = showResult(answer, { isJson: false, again });
    throw new CliError(EXIT.failed, inCommands(said, again));
  }
  return followStarted(context, started.data.structuredContent.job.task_id, options);
}
