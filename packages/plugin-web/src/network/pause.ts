import { setTimeout as sleep } from 'node:timers/promises';

/** @throws the signal's reason when it fires before */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  try {
    await sleep(ms, undefined, { signal });
  } catch {
    throw signal.reason;
  }
}
