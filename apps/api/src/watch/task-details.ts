import type { JsonObject, PrincipalId, TaskWithOutcome } from '@longshore/core';
import { detailedTask } from '@longshore/protocol';
import type { WatchContext } from './watch-context.ts';

/**
 * The DetailedTask of a row: with its outcome once it has ended, with all open questions while it waits for
 * input.
 */
export async function taskDetails(
  context: WatchContext,
  { task, outcome }: TaskWithOutcome,
  owner: PrincipalId,
): Promise<JsonObject> {
  const { pollIntervalMs } = context.settings;
  if (task.state !== 'input_required') return detailedTask(task, outcome, [], pollIntervalMs);
  const questions = await context.inputs.pending(task.id, owner);
  // The last one was answered between the two reads, or its worker has died and asks again.
  if (questions.length === 0) {
    return detailedTask({ ...task, state: 'working' }, null, [], pollIntervalMs);
  }
  return detailedTask(task, null, questions, pollIntervalMs);
}
