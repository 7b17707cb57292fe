import { type ClientAbilities, isTerminal, type SessionId, type Task } from '@longshore/core';
import type { TaskStreamPlace } from '@longshore/protocol';
import type { ResumableDelivery } from '../edge/delivery.ts';
import { TaskStream } from './task-stream.ts';
import type { WatchContext } from './watch-context.ts';
import type { WatchedTask, WatchGoal, WatchOutcome } from './watch-hub.ts';

export interface StreamWaitOptions {
  readonly delivery: ResumableDelivery;
  readonly kind: TaskStreamPlace['kind'];
  /** Of whoever waits. */
  readonly callerSessionId: SessionId | null;
  readonly abilities: ClientAbilities;
  readonly resumed: TaskStreamPlace | null;
  /** Says of a task that has not ended that the wait is over all the same. */
  readonly isOver?: (task: Task) => Promise<boolean>;
  /** Commits the task, once its messages are heard. Left out: it is there already. */
  readonly submit?: () => Promise<unknown>;
  /** Called with the stream before anything is sent on it. */
  readonly onStream?: (stream: TaskStream) => void;
}

/**
 * Holds a legacy request open, as `waitOn` does. A held call is cancelled by its own client alone, which
 * wants no answer: also when the row says so before the withdrawal was heard.
 *
 * @returns the task that has ended, or of which `isOver`; null when nobody waits for the answer any more
 * @throws {LongshoreError} TASK_NOT_FOUND when the task is deleted or expires meanwhile
 */
export async function streamWait(
  context: WatchContext,
  task: WatchedTask,
  options: StreamWaitOptions,
): Promise<WatchOutcome> {
  const ended = await waitOn(context, task, options);
  if (options.kind !== 'call' || ended === null || !isTerminal(ended.task)) return ended;
  return ended.outcome === null ? null : ended;
}

/**
 * Holds a legacy request open until its task has ended, and meanwhile carries on its stream what the task
 * says. A client that takes no stream gets the answer only.
 */
async function waitOn(
  context: WatchContext,
  task: WatchedTask,
  options: StreamWaitOptions,
): Promise<WatchOutcome> {
  const { delivery, kind, callerSessionId, abilities, resumed, submit, isOver } = options;
  const goal: WatchGoal = async ({ task: row }) =>
    isTerminal(row) || (isOver !== undefined && (await isOver(row)));
  if (!delivery.streams) {
    return context.watch.until(goal, task, {
      delivery,
      callerSessionId,
      onListening: async () => {
        await submit?.();
      },
      onEvent: () => {},
      onRow: () => {},
    });
  }
  const stream = new TaskStream(context, { delivery, kind, task, abilities, resumed });
  options.onStream?.(stream);
  try {
    const ended = await context.watch.until(goal, task, {
      delivery,
      callerSessionId,
      onListening: async () => {
        await submit?.();
        stream.hold();
        await stream.open();
      },
      onEvent: (event) => stream.hear(event),
      onRow: (row) => stream.row(row),
    });
    if (ended !== null) await stream.finish();
    return ended;
  } finally {
    await stream.close();
  }
}
