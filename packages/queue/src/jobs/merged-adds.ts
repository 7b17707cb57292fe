import { GroupedCalls, withDeadline } from '@longshore/core';
import { queueUnavailable } from '../connections/queue-unavailable.ts';

/*
 * 500 jobs per command. Two commands under way, so that one is prepared while the other travels; more do not make
 * Redis faster and Postgres slower. 20,000 waiting: the server does not keep up, and rows are safe without.
 */
const BOUNDS = { maxGroupSize: 500, maxGroupWeight: 500, maxInFlight: 2, maxWaiting: 20_000 };

/**
 * Merges concurrent `add` calls for one queue: accepting hundreds of tasks per second then costs some tens of
 * commands. When a command fails or takes too long, everybody who waits is told at once, so no call takes
 * longer than `timeoutMs` and a little.
 */
export class MergedAdds {
  readonly #jobs: GroupedCalls<string, void>;

  /** @param send adds a batch of distinct ids */
  constructor(send: (ids: readonly string[]) => Promise<void>, timeoutMs: number) {
    this.#jobs = new GroupedCalls({
      ...BOUNDS,
      name: 'adding jobs',
      run: async (ids) => {
        try {
          await withDeadline(send([...new Set(ids)]), timeoutMs, () => new Error('no answer'));
        } catch (cause) {
          throw queueUnavailable('jobs could not be added', cause);
        }
        return ids.map(() => undefined);
      },
      keyOf: null,
      weightOf: () => 1,
      isSharedFailure: () => true,
      failsWaiting: true,
      overflowCode: 'QUEUE_UNAVAILABLE',
    });
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE */
  async add(ids: readonly string[]): Promise<void> {
    await Promise.all(ids.map((id) => this.#jobs.call(id)));
  }
}
