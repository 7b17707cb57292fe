import { randomUUID } from 'node:crypto';
import { IDEMPOTENCY_KEY_META } from '@longshore/protocol';
import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-context.ts';
import { followTask, type TaskState } from './follow-task.ts';
import { AwayError } from './mcp-client.ts';
import { showResult } from './show-result.ts';
import { StallWatch } from './task-history.ts';

type Json = Readonly<Record<string, unknown>>;

/** Of every command that follows a task. */
export interface FollowOptions {
  readonly watch?: true | undefined;
  readonly detach?: true | undefined;
  readonly cancelOnInterrupt?: true | undefined;
  /** Seconds. */
  readonly patience: number;
}

const Started = z.looseObject({ resultType: z.literal('task'), taskId: z.string() });

/**
 * Calls a tool as a task, and sees it to its end.
 *
 * @param isFailure says of a result without `isError` whether it is one all the same
 * @returns the exit code
 */
export async function runAsTask(
  context: ClientContext,
  call: { readonly name: string; readonly arguments: Json; readonly key: string | undefined },
  options: FollowOptions,
  isFailure: (result: Json) => boolean = () => false,
): Promise<number> {
  const { print, isJson, again } = context;
  const answer = await submit(context, call);
  const started = Started.safeParse(answer);
  if (!started.success) {
    // The tool does not run as a task, or its arguments do not fit.
    print(showResult(answer, { isJson, again }));
    return answer['isError'] === true || isFailure(answer) ? EXIT.failed : 0;
  }
  return followStarted(context, started.data.taskId, options, isFailure);
}

/** With a key, so that a call whose answer was lost can be sent again and still be one task. */
async function submit(
  { client, stop }: ClientContext,
  call: { readonly name: string; readonly arguments: Json; readonly key: string | undefined },
): Promise<Json> {
  const { name, key = randomUUID() } = call;
  try {
    // Not given up half-way: then nobody would know whether there is a task.
    return await client.request(
      'tools/call',
      { name, arguments: call.arguments },
      { meta: { [IDEMPOTENCY_KEY_META]: key }, isRepeatable: true },
    );
  } catch (error) {
    if (!(error instanceof AwayError) && !stop.aborted) throw error;
    const reason = error instanceof AwayError ? `${error.message}. ` : '';
    throw new CliError(
      error instanceof AwayError ? EXIT.unreachable : EXIT.interrupted,
      `${reason}Whether the call has become a task is not known: give the same command with --key ${key}, and it is one task.`,
      { cause: error },
    );
  }
}

/** Sees a task to its end that this command has started, unless its user wants the id only. */
export async function followStarted(
  context: ClientContext,
  taskId: string,
  options: FollowOptions,
  isFailure: (result: Json) => boolean = () => false,
): Promise<number> {
  const { print, isJson, stderr } = context;
  if (options.detach === true) {
    print(isJson ? JSON.stringify({ taskId }) : taskId);
    return 0;
  }
  stderr.write(`task ${taskId}\n`);
  return seeToItsEnd(context, taskId, options, isFailure);
}

/** Follows a task, and prints its result. An interruption leaves it running unless its user
 * says otherwise. */
export async function seeToItsEnd(
  context: ClientContext,
  taskId: string,
  options: Pick<FollowOptions, 'watch' | 'cancelOnInterrupt'>,
  isFailure: (result: Json) => boolean = () => false,
): Promise<number> {
  const { client, stderr, stop, line, again } = context;
  const isWatched = stderr.isTTY === true || options.watch === true;
  const stall = isWatched ? new StallWatch(client, taskId, line) : null;
  const later = `Come back: ${again(`tasks tail ${taskId}`)}`;
  try {
    const task = await followTask(client, taskId, {
      signal: stop,
      onProgress: (state) => {
        stall?.moved();
        if (isWatched) line.show(state);
      },
      onQuestion: () =>
        line.say(
          `task ${taskId} waits for an answer, which this command can not give: answer it in an MCP host, or cancel it`,
        ),
    });
    stall?.stop();
    line.clear();
    return printEnd(context, task, isFailure);
  } catch (error) {
    stall?.stop();
    line.clear();
    if (!stop.aborted) {
      if (!(error instanceof AwayError)) throw error;
      throw new AwayError(`${error.message}. Task ${taskId} does not end by that. ${later}`, {
        cause: error,
      });
    }
    const wish =
      options.cancelOnInterrupt === true ? 'cancel' : ((await context.ask?.()) ?? 'detach');
    if (wish === 'cancel') {
      await client.request('tasks/cancel', { taskId });
      stderr.write(`cancelled task ${taskId}\n`);
      return EXIT.cancelled;
    }
    const cancel = again(`tasks cancel ${taskId}`);
    stderr.write(`task ${taskId} goes on. ${later}. Stop it: ${cancel}\n`);
    return EXIT.interrupted;
  }
}

/** @returns the exit code */
export function printEnd(
  { print, isJson, stderr, again }: ClientContext,
  task: TaskState,
  isFailure: (result: Json) => boolean = () => false,
): number {
  if (task.status === 'cancelled') {
    stderr.write(`task ${task.taskId} was cancelled\n`);
    return EXIT.cancelled;
  }
  if (task.result !== undefined) {
    print(showResult(task.result, { isJson, again }));
    return task.result['isError'] === true || isFailure(task.result) ? EXIT.failed : 0;
  }
  stderr.write(`longshore: ${task.error?.message ?? task.statusMessage ?? 'the task failed'}\n`);
  return EXIT.failed;
}
