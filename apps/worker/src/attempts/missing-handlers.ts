import type { Logger, TaskId } from '@longshore/core';
import { retryDelayMs } from '@longshore/core';
import { again, type Fate, PASS_ON } from './fate.ts';

/** From a quarter of a second, when another worker has the tool, to eight seconds, when none has. */
const BACKOFF = { baseMs: 250, factor: 1.5, maxMs: 8_000 };

/**
 * Encounters until a wait. Redis serves whoever has waited longest, and after each serving that is somebody
 * else: two offers in a row reach the other one of two idle workers, three the third.
 */
const ROUND = 4;

/** Tasks whose encounters are counted; the oldest is forgotten, and then starts over. */
const TASK_LIMIT = 10_000;

/**
 * Decides what becomes of a job whose tool, prompt or resource this worker does not have: workers with different plugins may
 * share a queue. The job is offered to the others a few times in a row, for the first to be served may well
 * be we ourselves; then it waits, longer with every round, so that thousands of jobs that no worker can
 * run cost little until one comes or they expire.
 */
export class MissingHandlers {
  readonly #log: Logger;
  readonly #encounters = new Map<TaskId, number>();
  readonly #reported = new Set<string>();

  constructor(log: Logger) {
    this.#log = log;
  }

  met(taskId: TaskId, what: string): Fate {
    if (!this.#reported.has(what)) {
      this.#reported.add(what);
      this.#log.warn({ what, taskId }, 'no plugin here has this: its tasks go back to the queue');
    }
    const count = (this.#encounters.get(taskId) ?? 0) + 1;
    this.#encounters.delete(taskId);
    this.#encounters.set(taskId, count);
    const [oldest] = this.#encounters.keys();
    if (this.#encounters.size > TASK_LIMIT && oldest !== undefined) this.#encounters.delete(oldest);
    if (count % ROUND !== 0) return PASS_ON;
    return again(retryDelayMs(BACKOFF, count / ROUND, Math.random()));
  }
}
