/** A signal with an end of its own. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Ends the time; the other signal still counts. */
  stopClock(): void;
  /** Lets go of the timer and of the other signal. */
  release(): void;
}

/**
 * A signal that fires as `source` does, or after `ms` milliseconds. Not AbortSignal.any with
 * AbortSignal.timeout: on Node 20 these may be collected before they fire.
 */
export function withTimeLimit(source: AbortSignal, ms: number): LimitedSignal {
  const controller = new AbortController();
  const follow = (): void => controller.abort(source.reason);
  const timer = setTimeout(() => controller.abort(new Error(`no answer within ${ms} ms`)), ms);
  if (source.aborted) follow();
  else source.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    stopClock: () => clearTimeout(timer),
    release: () => {
      clearTimeout(timer);
      source.removeEventListener('abort', follow);
    },
  };
}
