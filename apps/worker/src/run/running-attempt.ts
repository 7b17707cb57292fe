import type { Claim } from '@longshore/core';
import type { Awaited } from './seats.ts';

/**
 * Why an attempt was stopped from outside.
 * - `cancelled`: its owner cancelled the task.
 * - `timeout`: it ran longer than the tool's policy allows.
 * - `deadline`: the task passed its execution deadline.
 * - `lost`: the task ended, or its lease did and another worker may run it.
 * - `drain`: this worker is stopping.
 */
export type AbortReason = 'cancelled' | 'timeout' | 'deadline' | 'lost' | 'drain';

const MESSAGES: Record<AbortReason, string> = {
  cancelled: 'the task was cancelled',
  timeout: 'the attempt ran out of time',
  deadline: 'the task passed its deadline',
  lost: 'the task was taken from this worker',
  drain: 'the worker is stopping',
};

/**
 * The `reason` of a tool's AbortSignal. Its name is that of every abort in Node, so libraries that were
 * handed the signal recognise it.
 */
export class AttemptAborted extends Error {
  override readonly name = 'AbortError';
  readonly why: AbortReason;

  constructor(why: AbortReason) {
    super(MESSAGES[why]);
    this.why = why;
  }
}

/** What the parts of an attempt (its batches, questions and files) know of it. They never see how it is run. */
export interface RunningAttempt {
  readonly claim: Claim;
  /** Fires when the tool is to stop, with an AttemptAborted. */
  readonly signal: AbortSignal;
  readonly reporter: {
    progress(done: number, total?: number, message?: string): void;
    statusMessage(text: string): void;
  };
  /** Of this run, by the tool's policy. Pauses are counted. */
  readonly timeLimit: { pause(): void; resume(): void };
  /** Stops the tool. The first reason counts; a tool that has returned is not stopped any more. */
  abort(why: AbortReason): void;
  /**
   * The tool waits: it gives its seat away, and its time stands still.
   *
   * @returns ends the wait, and resolves when the tool may go on: it has a seat again, waits for something else
   *   still, or was stopped; may be called twice
   */
  wait(awaited: Awaited): () => Promise<void>;
}
