import type { ClientContext } from './client-context.ts';
import { type FollowOptions, runAsTask } from './run-as-task.ts';
import { argumentsOf, argumentsOfPairs } from './tool-arguments.ts';
import { requireTool } from './tools.ts';

export interface CallOptions extends FollowOptions {
  /** NAME=VALUE each. */
  readonly arg: readonly string[];
  readonly json?: string | undefined;
  readonly key?: string | undefined;
}

/** `call TOOL`. @returns the exit code */
export async function callCommand(
  context: ClientContext,
  name: string,
  options: CallOptions,
): Promise<number> {
  const { arg, json, key } = options;
  // Read before anything is asked: what is wrong here needs no server.
  const given = json === undefined ? {} : argumentsOf(json);
  argumentsOfPairs(arg, null);
  const { inputSchema } = await requireTool(context, name);
  const args = { ...given, ...argumentsOfPairs(arg, inputSchema) };
  return runAsTask(context, { name, arguments: args, key }, options);
}
