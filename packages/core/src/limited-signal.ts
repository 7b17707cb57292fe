/** A signal with an end of its own. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Ends the time; the other signal still counts. */
  stopClock(): void;
  /** Lets go of the timer and of the other signal. */
  release(): void;
}

/**
 * A signal that fires as `source` does, or after `limitMs` milliseconds, with a TimeoutError. Not AbortSignal.any
 * with AbortSignal.timeout: on Node 20 these may be collected before they fire.
 */
export function limitedSignal(source: AbortSignal, limitMs: number): LimitedSignal {
  const controller = new AbortController();
  const follow = (): void => controller.abort(source.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException(`no answer within ${limitMs} ms`, 'TimeoutError')),
    limitMs,
  );
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
