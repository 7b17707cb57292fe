import { setTimeout as sleep } from 'node:timers/promises';
import { withDeadline } from '@longshore/core';

/** @returns whether `work` ended well within `timeoutMs`; it is waited for no longer */
export async function endsWithin(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  try {
    await withDeadline(work, timeoutMs, () => new Error('time-out'));
    return true;
  } catch {
    return false;
  }
}

/** Resolves after `ms`, or at once when `signal` fires. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => {});
}
