import type { AttemptStore } from '@longshore/core';
import { defineTool, type ToolContext, z } from '@longshore/plugin';

/** A promise that is settled by hand. */
export function gate<T = void>(): { promise: Promise<T>; open: (value: T) => void } {
  let open = (_value: T): void => {};
  const promise = new Promise<T>((resolve) => {
    open = resolve;
  });
  return { promise, open };
}

export const forEver = (): Promise<never> => new Promise(() => {});

/** Resolves with the reason when the signal fires. */
export const aborted = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) => {
    const tell = (): void => resolve(signal.reason.why);
    if (signal.aborted) tell();
    else signal.addEventListener('abort', tell);
  });

/** The real store but for some of its methods. */
export const over = (real: AttemptStore, methods: Partial<AttemptStore>): AttemptStore => ({
  claim: (...args) => real.claim(...args),
  heartbeat: (...args) => real.heartbeat(...args),
  finish: (attempt) => real.finish(attempt),
  retry: (attempt) => real.retry(attempt),
  release: (...args) => real.release(...args),
  releaseUnconfirmed: (...args) => real.releaseUnconfirmed(...args),
  newcomers: (...args) => real.newcomers(...args),
  ask: (...args) => real.ask(...args),
  readAnswers: (...args) => real.readAnswers(...args),
  timeOutInputs: (...args) => real.timeOutInputs(...args),
  appendLogs: (...args) => real.appendLogs(...args),
  getCheckpoint: (...args) => real.getCheckpoint(...args),
  setCheckpoint: (...args) => real.setCheckpoint(...args),
  ...methods,
});

type Run = (input: Record<string, unknown>, ctx: ToolContext) => string | Promise<string>;

/** A tool that takes any arguments. */
export const tool = (name: string, run: Run) =>
  defineTool({ name, description: 'For tests.', input: z.looseObject({}), run });
