import { type Logger, LongshoreError } from '@longshore/core';
import { type Offers, offersOfQueues, queuesOf } from './offers.ts';

/**
 * What goes through the queues this worker serves. A tool of another queue is not announced either: nobody
 * may run it, and then the catalogue must not offer it.
 *
 * @param queues as in WORKER_QUEUES; null: all
 * @throws {LongshoreError} CONFIG_INVALID when nothing is left to do
 */
export function servedOffers(
  offers: Offers,
  queues: readonly string[] | null,
  log: Logger,
): Offers {
  if (queues === null) return offers;
  const known = queuesOf(offers);
  const served = offersOfQueues(offers, queues);
  if (queuesOf(served).length === 0) {
    throw new LongshoreError(
      'CONFIG_INVALID',
      `WORKER_QUEUES names no queue of the plugins' tools; they use: ${known.join(', ')}`,
    );
  }
  const unknown = queues.filter((queue) => !known.includes(queue));
  if (unknown.length > 0) log.warn({ queues: unknown }, 'queues of WORKER_QUEUES have no tools');
  return served;
}
