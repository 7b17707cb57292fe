import type { TaskId } from '@longshore/core';
import type { Attempt } from './attempt.ts';

/**
 * The attempts of this process, by task. Also remembers cancellations that arrive between a claim's
 * commit and its answer, and, once drained, stops whatever still arrives.
 */
export class RunningAttempts {
  readonly #attempts = new Map<TaskId, Attempt>();
  /** Claims whose answer is not here yet, and whether they were cancelled meanwhile. */
  readonly #claiming = new Map<TaskId, { cancelled: boolean }>();
  #draining = false;

  get size(): number {
    return this.#attempts.size;
  }

  /**
   * To be called before a claim; `add` or `claimFailed` ends it.
   *
   * @returns false when the task is being claimed already: what becomes of that is to be known first
   */
  claiming(taskId: TaskId): boolean {
    if (this.#claiming.has(taskId)) return false;
    this.#claiming.set(taskId, { cancelled: false });
    return true;
  }

  claimFailed(taskId: TaskId): void {
    this.#claiming.delete(taskId);
  }

  add(attempt: Attempt): void {
    const { taskId } = attempt.claim;
    const claiming = this.#claiming.get(taskId);
    this.#claiming.delete(taskId);
    // An older attempt of ours that is still here lost its lease without noticing.
    this.#attempts.get(taskId)?.abort('lost');
    this.#attempts.set(taskId, attempt);
    if (claiming?.cancelled === true) attempt.abort('cancelled');
    if (this.#draining) attempt.abort('drain');
  }

  remove(attempt: Attempt): void {
    const { taskId } = attempt.claim;
    if (this.#attempts.get(taskId) === attempt) this.#attempts.delete(taskId);
  }

  /** A copy: attempts come and go while the caller awaits. */
  list(): readonly Attempt[] {
    return [...this.#attempts.values()];
  }

  /** True when this very attempt is still run here. */
  has(attempt: Attempt): boolean {
    return this.#attempts.get(attempt.claim.taskId) === attempt;
  }

  /** The attempt of the task that is run here. */
  find(taskId: TaskId): Attempt | null {
    return this.#attempts.get(taskId) ?? null;
  }

  cancel(taskId: TaskId): void {
    this.#attempts.get(taskId)?.abort('cancelled');
    const claiming = this.#claiming.get(taskId);
    if (claiming !== undefined) claiming.cancelled = true;
  }

  /** Stops those that wait for other tasks or for answers: any worker may go on with them, none has a reason to wait. */
  drainWaiting(): void {
    for (const attempt of this.list()) if (attempt.isWaiting) attempt.abort('drain');
  }

  /** Stops all, and everything that is added later. */
  drain(): void {
    this.#draining = true;
    for (const attempt of this.list()) attempt.abort('drain');
  }
}
