/** A signal with an end of its own. */
export interface LimitedSignal {
  readonly signal: AbortSignal;
  /** Lets go of the timer and of the other signal. */
  release(): void;
}

/**
 * A signal that fires as `source` does, or after `limitMs` milliseconds. Not AbortSignal.any with
 * AbortSignal.timeout: on Node 20 these may be collected before they fire.
 */
export function limitedSignal(source: AbortSignal, limitMs: number): LimitedSignal {
  const controller = new AbortController();
  const follow = (): void => controller.abort(source.reason);
  const timer = setTimeout(
    () => controller.abort(new DOMException('The time is over', 'TimeoutError')),
    limitMs,
  );
  if (source.aborted) follow();
  else source.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      clearTimeout(timer);
      source.removeEventListener('abort', follow);
    },
  };
}
