import type { MaybePromise } from '@longshore/plugin';

/** How a run of a plugin's code ended. */
export type RunEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown }
  /** It ignored its signal for longer than the grace, and was ended by force. */
  | { readonly kind: 'killed' }
  /** So it did, and nothing can end it; whatever it still does is ignored. */
  | { readonly kind: 'abandoned' };

/**
 * Runs a plugin's code until it returns or throws. Once it is to stop it has `graceMs()` milliseconds to
 * do so. Never rejects.
 *
 * @param onAbort calls back, once, when it is to stop
 * @param settled called in the very turn in which it returned or threw
 * @param kill ends it by force after the grace; false: it still runs
 */
export async function runUntilAborted(
  run: () => MaybePromise<unknown>,
  onAbort: (stopped: () => void) => void,
  graceMs: () => number,
  settled: () => void,
  kill: () => Promise<boolean> = async () => false,
): Promise<RunEnd> {
  let timer: NodeJS.Timeout | undefined;
  let isGivenUp = false;
  let isOver = false;
  const givenUp = new Promise<RunEnd>((resolve) => {
    const giveUp = async (): Promise<void> => {
      isGivenUp = true;
      settled();
      resolve({ kind: (await kill()) ? 'killed' : 'abandoned' });
    };
    onAbort(() => {
      if (!isOver) timer = setTimeout(() => void giveUp(), graceMs());
    });
  });
  try {
    const end = await Promise.race([endOf(run, settled), givenUp]);
    // A run that is killed may well throw because of that.
    return isGivenUp ? await givenUp : end;
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

async function endOf(run: () => MaybePromise<unknown>, settled: () => void): Promise<RunEnd> {
  try {
    const value = await run();
    settled();
    return { kind: 'returned', value };
  } catch (error) {
    settled();
    return { kind: 'threw', error };
  }
}
