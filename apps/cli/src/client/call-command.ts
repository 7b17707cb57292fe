import { IDEMPOTENCY_KEY_META } from '@longshore/protocol';
import type { ClientContext } from './client-command.ts';
import { requireTool, runAsTask } from './run-as-task.ts';
import { argumentsOf, argumentsOfPairs } from './tool-arguments.ts';

/** `call TOOL`. @returns the exit code */
export async function callCommand(context: ClientContext): Promise<number> {
  const { command } = context;
  const [name = ''] = command.positionals;
  const file = command.text('json');
  // Read before anything is asked: what is wrong here needs no server.
  const given = file === undefined ? {} : argumentsOf(file);
  argumentsOfPairs(command.list('arg'), null);
  const schema = await requireTool(context, name);
  const key = command.text('key');
  return runAsTask(context, {
    name,
    arguments: { ...given, ...argumentsOfPairs(command.list('arg'), schema) },
    ...(key === undefined ? {} : { meta: { [IDEMPOTENCY_KEY_META]: key } }),
  });
}
