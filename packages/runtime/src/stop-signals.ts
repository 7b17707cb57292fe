/**
 * A signal that follows this closely is the same wish: Ctrl-C under npm arrives twice, from the terminal
 * and forwarded by npm.
 */
const SAME_WISH_MS = 500;

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface StopWishes {
  /** Fires at the first signal, and when the process that started us with an IPC channel is gone. */
  readonly stop: AbortSignal;
  /** Fires at the next one that is a wish of its own. */
  readonly kill: AbortSignal;
}

/** Turns the signals that end a process into "stop", and "at once" for who can not wait. */
export function listenForStopSignals(): StopWishes {
  const stop = new AbortController();
  const kill = new AbortController();
  let firstAt = 0;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (!stop.signal.aborted) {
        firstAt = performance.now();
        stop.abort();
      } else if (performance.now() - firstAt > SAME_WISH_MS) {
        kill.abort();
      }
    });
  }
  // Listened to only by processes that have a channel: it would keep the others' event loop alive.
  if (process.channel !== undefined) process.on('disconnect', () => stop.abort());
  return { stop: stop.signal, kill: kill.signal };
}
