/**
 * Settles like `work`, or rejects with `expired()` after `timeoutMs`. The work itself is not stopped; what it
 * does after the deadline is ignored.
 */
export async function withDeadline<T>(
  work: Promise<T>,
  timeoutMs: number,
  expired: () => Error,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(expired()), timeoutMs);
  });
  try {
    return await Promise.race([work, deadline]);
  } finally {
    clearTimeout(timer);
  }
}

/** @returns whether `work` ended well within `timeoutMs`; it is waited for no longer */
export async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  try {
    await withDeadline(work, timeoutMs, () => new Error('time-out'));
    return true;
  } catch {
    return false;
  }
}

/** Resolves when `work` has ended, well or not, or when `signal` fires. */
export async function endsBefore(work: Promise<unknown>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = (): void => {
      signal.removeEventListener('abort', end);
      resolve();
    };
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', end);
    work.then(end, end);
  });
}
