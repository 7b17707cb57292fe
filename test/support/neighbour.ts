import { setTimeout as sleep } from 'node:timers/promises';

/** Somebody else's calls, one after the other, while something goes on. */
export interface Neighbour {
  /** Waits for the call under way. @returns how many were answered as they should */
  stop(): Promise<number>;
}

/**
 * @param call makes one call, and throws when its answer is not the right one
 * @param pauseMs between two calls
 */
export function startNeighbour(call: () => Promise<unknown>, pauseMs = 20): Neighbour {
  let stopped = false;
  let answered = 0;
  const run = async (): Promise<void> => {
    while (!stopped) {
      await call();
      answered += 1;
      await sleep(pauseMs);
    }
  };
  const done = run();
  // Told by `stop`.
  done.catch(() => {});
  return {
    stop: async () => {
      stopped = true;
      await done;
      return answered;
    },
  };
}
