import { randomUUID } from 'node:crypto';
import { withDeadline } from '@longshore/core';
import type { Child } from '../child.ts';
import type { Part } from './part.ts';

/** What a job of a peer is given, as much as ours is. */
export const payload = (id: string = randomUUID()) => ({ id, text: 'x'.repeat(64), n: 5 });

/** Submits one no-op job or task and resolves when the client knows that it is done. */
export type RoundTrip = (
  /** For an answer that was an error and is asked for again. */
  onError: (error: unknown) => void,
) => Promise<void>;

/** A backlog of no-op jobs, and a worker process that empties it. */
export interface Backlog {
  /** Of the worker. */
  readonly pid: number;
  /** Stores jobs. None runs before `finish`, or, where a queue can not be held back, before the last is stored. */
  store(jobs: number): Promise<void>;
  /** Resolves when all that were stored are through. */
  finish(jobs: number): Promise<void>;
}

/** A queue that knows nothing of MCP: this process fills it. */
export interface Engine extends Backlog {
  /** From now on jobs are submitted one by one. */
  client(): Promise<RoundTrip>;
}

export type Start<T> = (part: Part, concurrency: number) => Promise<T>;

/** A job that is not through by then is lost. */
export const ROUND_TRIP_TIMEOUT_MS = 30_000;

/** @returns resolves when the worker says that the job of that id is through */
export function endSignals(worker: Child): (id: string) => Promise<void> {
  const open = new Map<string, () => void>();
  worker.hear(({ ended }) => {
    open.get(String(ended))?.();
  });
  worker.send({ each: true });
  return async (id) => {
    try {
      await withDeadline(
        new Promise<void>((resolve) => open.set(id, resolve)),
        ROUND_TRIP_TIMEOUT_MS,
        () => new Error(`${id} did not end`),
      );
    } finally {
      open.delete(id);
    }
  };
}
