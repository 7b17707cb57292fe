import { note } from './report.ts';

/** How everything that runs beside this process is stopped. */
const running = new Set<() => Promise<void>>();

/** Keeps in mind that something runs. @returns how to stop it, once, for whoever started it */
export function stoppable(stop: () => Promise<void>): () => Promise<void> {
  let stopped: Promise<void> | null = null;
  const stopOnce = (): Promise<void> => {
    stopped ??= stop().finally(() => running.delete(stopOnce));
    return stopped;
  };
  running.add(stopOnce);
  return stopOnce;
}

/** Stops what still runs, the latest first: servers after the processes that use them. */
export async function stopAll(): Promise<void> {
  for (const stop of [...running].reverse()) await stop().catch((error) => note(String(error)));
}
