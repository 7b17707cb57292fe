import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendFactory, IQueueBackend } from 'bullmq';

/** Twice a second is often enough to ask a server that answers with errors. */
const PAUSE_MS = 500;

/**
 * A BullMQ worker asks for its next job again at once when asking failed other than by a lost connection
 * (Redis out of memory, Postgres starting up), in a loop as tight as the server allows. Here a failed
 * fetch takes at least half a second.
 */
export function withFetchBackoff<B extends IQueueBackend, C>(
  factory: BackendFactory<B, C>,
): BackendFactory<B, C> {
  return (name, options, factoryOptions) => {
    const backend = factory(name, options, factoryOptions);
    const fetch = backend.moveToActive.bind(backend);
    backend.moveToActive = async (token, workerName) => {
      try {
        return await fetch(token, workerName);
      } catch (error) {
        await sleep(PAUSE_MS);
        throw error;
      }
    };
    return backend;
  };
}
