import { setTimeout as delay } from 'node:timers/promises';

/** What the pages of the dashboard ask, and how often (apps/dashboard/src/api/queries.ts). */
const PAGES = ['overview', 'stats', 'queues', 'workers', 'tasks?limit=50'];
const EVERY_MS = 5_000;

/**
 * Looks at an API as operators do: a dashboard that is open, with its events and what its pages ask for, and
 * a Prometheus that reads the metrics of all processes as often.
 *
 * @param metrics URLs
 * @returns ends it
 * @throws {Error} when an answer is none
 */
export function observe(api: string, metrics: readonly string[]): () => Promise<void> {
  const ended = new AbortController();
  const { signal } = ended;
  const base = new URL('/api/v1/', api).href;
  const events = (async () => {
    const { body, status } = await fetch(`${base}events`, { signal });
    if (status !== 200 || body === null) throw new Error(`${base}events: ${status}`);
    for await (const _piece of body);
  })();
  const reads = (async () => {
    for (;;) {
      for (const url of [...PAGES.map((page) => `${base}${page}`), ...metrics]) {
        const response = await fetch(url, { signal });
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${url}: ${response.status}`);
      }
      await delay(EVERY_MS, undefined, { signal });
    }
  })();
  const over = Promise.all([events, reads]).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return async () => {
    ended.abort();
    await over;
  };
}
