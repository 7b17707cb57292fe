import type { RequirementId } from '../manifest/requirements.ts';
import { Violation } from '../manifest/violation.ts';

export interface Wait {
  /** Fires when the check's time is over. */
  readonly signal: AbortSignal;
  /** For the message: "an answer to tasks/result". */
  readonly what: string;
  /** Whose requirement it is that this comes; the check's own unless said. */
  readonly breaks?: RequirementId | undefined;
}

/** @throws {Violation} when the signal fires first */
export async function inTime<T>(promise: Promise<T>, wait: Wait): Promise<T> {
  const { signal } = wait;
  let onAbort = (): void => {};
  const over = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(new Violation(wait.breaks ?? null, `waited in vain for ${wait.what}`));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([promise, over]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Resolves after `ms`. @throws {Violation} when the signal fires first */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await settlesWithin(new Promise<never>(() => {}), ms, signal);
}

/**
 * Whether the promise settles within `ms`, be it well or badly.
 * @param breaks as in `Wait`
 * @throws {Violation} when the signal fires first
 */
export async function settlesWithin(
  promise: Promise<unknown>,
  ms: number,
  signal: AbortSignal,
  breaks?: RequirementId,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await inTime(Promise.race([settled, over]), {
      signal,
      what: `${ms} ms to pass`,
      breaks,
    });
  } finally {
    clearTimeout(timer);
  }
}
