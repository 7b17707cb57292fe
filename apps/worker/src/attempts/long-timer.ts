/** Longer delays make setTimeout fire at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Calls `fire` once in `delayMs` milliseconds, however long that is. It does not keep the process alive.
 *
 * @returns stops it
 */
export function startLongTimer(delayMs: number, fire: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const stepMs = Math.min(leftMs, MAX_TIMEOUT_MS);
    timer = setTimeout(() => (leftMs > stepMs ? arm(leftMs - stepMs) : fire()), stepMs);
    timer.unref();
  };
  arm(Math.max(0, delayMs));
  return () => clearTimeout(timer);
}
