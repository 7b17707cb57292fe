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
