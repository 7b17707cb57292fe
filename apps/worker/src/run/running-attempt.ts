import type { Claim } from '@longshore/core';
import type { AbortReason } from './attempt-aborted.ts';
import type { Awaited } from './seats.ts';

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
