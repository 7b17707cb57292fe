const POLL_MS = 500;

/**
 * Fires when the process that started us has ended. npm runs its scripts through a shell that dies of a
 * signal without passing it on, and would leave us running where nobody sees us.
 */
export function watchParent(): AbortSignal {
  const gone = new AbortController();
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone.abort();
  }, POLL_MS);
  timer.unref();
  return gone.signal;
}
