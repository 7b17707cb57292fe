import { type AbortReason, AttemptAborted } from '../run/running-attempt.ts';
import { orderedStop } from './run-control.ts';

/** The signal of a run in a thread. */
export interface ThreadSignal {
  readonly signal: AbortSignal;
  abort(why: AbortReason): void;
  /** Fires the signal if the run is to stop. */
  look(): void;
}

/**
 * A signal that also fires when it is looked at: no message reaches a tool that computes without ever
 * awaiting, but `signal.aborted` and `signal.throwIfAborted()` in its loop read the shared word.
 */
export function createThreadSignal(control: Int32Array): ThreadSignal {
  const controller = new AbortController();
  const { signal } = controller;
  let isAborted = false;
  const abort = (why: AbortReason): void => {
    if (isAborted) return;
    isAborted = true;
    controller.abort(new AttemptAborted(why));
  };
  const look = (): void => {
    const why = isAborted ? null : orderedStop(control);
    if (why !== null) abort(why);
  };
  Object.defineProperty(signal, 'aborted', {
    get: () => {
      look();
      return isAborted;
    },
  });
  Object.defineProperty(signal, 'throwIfAborted', {
    value: () => {
      look();
      if (isAborted) throw signal.reason;
    },
  });
  return { signal, abort, look };
}
