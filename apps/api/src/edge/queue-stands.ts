import { type Logger, type OperatorStore, withDeadline } from '@longshore/core';
import type { QueueStand } from '@longshore/metrics';

/** Less than a scraper waits for all metrics, in milliseconds. */
const LIMIT_MS = 3_000;

/** Where all queues stood at the latest look (`StatsKeeper`). @returns null when Postgres does not say in time */
export async function queueStands(
  store: Pick<OperatorStore, 'gauges'>,
  log: Logger,
): Promise<readonly QueueStand[] | null> {
  try {
    const gauges = await withDeadline(store.gauges(), LIMIT_MS, () => new Error('no answer'));
    return gauges.map(({ ready, retrying, ...gauge }) => ({
      ...gauge,
      waiting: gauge.waiting + ready + retrying,
    }));
  } catch (err) {
    log.warn({ err }, 'metrics say nothing of queues');
    return null;
  }
}
