import * as z from 'zod';
import { CliError, EXIT } from './cli-error.ts';
import type { ClientContext } from './client-command.ts';
import { followTask, type TaskState } from './follow-task.ts';
import { nearNames } from './near-names.ts';
import { ProgressLine } from './progress-line.ts';
import { showResult } from './show-result.ts';

type Json = Readonly<Record<string, unknown>>;

const Tools = z.object({
  tools: z.array(z.looseObject({ name: z.string(), inputSchema: z.unknown() })),
  nextCursor: z.string().optional(),
});
const Started = z.looseObject({ resultType: z.literal('task'), taskId: z.string() });

/** More pages of tools than any server has. */
const MAX_PAGES = 1_000;

/**
 * The schema of a tool's arguments.
 * @throws {CliError} there is no such tool: with the names that are near
 */
export async function requireTool({ client, stop }: ClientContext, name: string): Promise<unknown> {
  const names: string[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { tools, nextCursor } = Tools.parse(
      await client.request('tools/list', params, { signal: stop }),
    );
    const found = tools.find((tool) => tool.name === name);
    if (found !== undefined) return found.inputSchema;
    names.push(...tools.map((tool) => tool.name));
    if (nextCursor === undefined) break;
    cursor = nextCursor;
  }
  const near = nearNames(name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(', ')}?`
      : `There are: ${names.sort().join(', ') || 'none, for no worker runs'}.`;
  throw new CliError(EXIT.usage, `the server has no tool '${name}'. ${hint}`);
}

/**
 * Calls a tool as a task, and sees it to its end.
 *
 * @param isFailure says of a result without `isError` whether it is one all the same
 * @returns the exit code
 */
export async function runAsTask(
  context: ClientContext,
  call: { readonly name: string; readonly arguments: Json; readonly meta?: Json },
  isFailure: (result: Json) => boolean = () => false,
): Promise<number> {
  const { client, print, isJson } = context;
  const { name, meta = {} } = call;
  // Not given up half-way: then nobody would know whether there is a task.
  const answer = await client.request('tools/call', { name, arguments: call.arguments }, { meta });
  const started = Started.safeParse(answer);
  if (!started.success) {
    // The tool does not run as a task, or its arguments do not fit.
    print(showResult(answer, isJson));
    return answer['isError'] === true || isFailure(answer) ? EXIT.failed : 0;
  }
  return followStarted(context, started.data.taskId, isFailure);
}

/** Sees a task to its end that this command has started, unless its user wants the id only. */
export async function followStarted(
  context: ClientContext,
  taskId: string,
  isFailure: (result: Json) => boolean = () => false,
): Promise<number> {
  const { command, print, isJson } = context;
  if (!command.flag('detach')) return seeToItsEnd(context, taskId, isFailure);
  print(isJson ? JSON.stringify({ taskId }) : taskId);
  return 0;
}

/** Follows a task, and prints its result. An interruption leaves it running unless its user
 * says otherwise. */
export async function seeToItsEnd(
  context: ClientContext,
  taskId: string,
  isFailure: (result: Json) => boolean = () => false,
): Promise<number> {
  const { client, command, stderr, stop } = context;
  const isWatched = stderr.isTTY || command.flag('watch') || command.name === 'tasks tail';
  const line = new ProgressLine(stderr);
  try {
    const task = await followTask(client, taskId, {
      signal: stop,
      onProgress: (state) => {
        if (isWatched) line.show(state);
      },
      onQuestion: () => {
        line.clear();
        stderr.write(
          `task ${taskId} waits for an answer, which this command can not give: answer it in an MCP host, or cancel it\n`,
        );
      },
    });
    line.clear();
    return printEnd(context, task, isFailure);
  } catch (error) {
    line.clear();
    if (!stop.aborted) throw error;
    const wish = command.flag('cancel-on-interrupt')
      ? 'cancel'
      : ((await context.ask?.()) ?? 'detach');
    if (wish === 'cancel') {
      await client.request('tasks/cancel', { taskId });
      stderr.write(`cancelled task ${taskId}\n`);
      return EXIT.cancelled;
    }
    stderr.write(
      `task ${taskId} goes on. Come back: longshore tasks tail ${taskId}. Stop it: longshore tasks cancel ${taskId}\n`,
    );
    return EXIT.interrupted;
  }
}

function printEnd(
  { print, isJson, stderr }: ClientContext,
  task: TaskState,
  isFailure: (result: Json) => boolean,
): number {
  if (task.status === 'cancelled') {
    stderr.write(`task ${task.taskId} was cancelled\n`);
    return EXIT.cancelled;
  }
  if (task.result !== undefined) {
    print(showResult(task.result, isJson));
    return task.result['isError'] === true || isFailure(task.result) ? EXIT.failed : 0;
  }
  stderr.write(`longshore: ${task.error?.message ?? task.statusMessage ?? 'the task failed'}\n`);
  return EXIT.failed;
}
