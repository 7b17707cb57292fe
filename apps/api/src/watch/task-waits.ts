import type { BusEvent, TaskId } from '@longshore/core';
import { RecentMap } from './recent-map.ts';

/** A waiting stream that was silent for this long, 2.5 announcements, is gone. */
const WAIT_LEASE_MS = 25_000;
/** Tasks remembered; of older ones a waiting stream says again that it is there. */
const MAX_REMEMBERED = 10_000;

/** Which tasks of a session are waited for on streams of their own, as heard on the session's topic. */
export class TaskWaits {
  readonly #waits = new RecentMap<TaskId, { stream: string; seenAtMs: number }>(MAX_REMEMBERED);

  /** @returns the task that nobody waits for any more since this event, if any */
  observe(event: BusEvent): TaskId | null {
    if (event.kind === 'stream-open' && event.taskId !== null) {
      this.#waits.set(event.taskId, { stream: event.stream, seenAtMs: Date.now() });
    } else if (event.kind === 'stream-close' && event.taskId !== null) {
      const { stream, taskId } = event;
      if (this.#waits.get(taskId)?.stream === stream && this.#waits.delete(taskId)) return taskId;
    }
    return null;
  }

  has(taskId: TaskId): boolean {
    const wait = this.#waits.get(taskId);
    if (wait === undefined) return false;
    if (Date.now() - wait.seenAtMs < WAIT_LEASE_MS) return true;
    this.#waits.delete(taskId);
    return false;
  }
}
