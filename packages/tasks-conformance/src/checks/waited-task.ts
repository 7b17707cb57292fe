import { skip } from '../manifest/violation.ts';
import type { Scene } from '../scene/scene.ts';
import { isTerminal, type StartedTask } from '../tasks/started-task.ts';
import type { Exchange } from '../wire/exchange.ts';
import type { Session } from '../wire/session.ts';
import { settlesWithin } from '../wire/waiting.ts';

/** A task that was still running when its tasks/result had reached the server. */
export interface WaitedTask {
  readonly task: StartedTask;
  readonly waiting: readonly Exchange[];
  /** How long it runs, in milliseconds. */
  readonly ms: number;
}

/**
 * Starts a task of the usual length with progress in four steps, and waits for its result. When it has
 * ended before the server waits, on a slow machine or line, the next one takes longer.
 */
export async function startWaited(
  scene: Scene,
  session: Session,
  options: { token?: string; waits?: number; atLeastMs?: number } = {},
): Promise<WaitedTask> {
  const { token, waits = 1, atLeastMs = scene.timing.taskMs } = options;
  for (let ms = atLeastMs; ms < scene.timing.timeoutMs / 2; ms *= 2) {
    const task = await scene.start(
      session,
      'slow',
      { ms, steps: 4 },
      token === undefined ? {} : { progressToken: token },
    );
    const waiting = Array.from({ length: waits }, () => task.request());
    for (const { opened } of waiting) {
      await settlesWithin(opened, scene.timing.settleMs, scene.signal);
    }
    const { result } = await session.call('tasks/get', { taskId: task.id });
    if (!isTerminal(result?.['status'])) return { task, waiting, ms };
  }
  return skip('every task had ended before its result could be waited for');
}
