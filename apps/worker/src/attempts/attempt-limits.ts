import type { Attempt } from './attempt.ts';
import { startLongTimer } from './long-timer.ts';

/**
 * Stops the attempt when its time or the task's deadline is over. Its time stands still while it waits for
 * answers, the deadline does not.
 *
 * @returns ends the watch
 */
export function watchLimits(attempt: Attempt): () => void {
  const { timeLimit } = attempt;
  const { deadline } = attempt.claim;
  timeLimit.start();
  if (deadline === null) return () => timeLimit.stop();
  const leftMs = deadline.getTime() - Date.now();
  const stopDeadline = startLongTimer(leftMs, () => attempt.abort('deadline'));
  return () => {
    timeLimit.stop();
    stopDeadline();
  };
}
