import type { PrincipalId, RequestCounts, RequestWindow } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { countRequests } from '../statements/count-requests.ts';
import { deleteRequestCounts } from '../statements/delete-request-counts.ts';

/** How often what has ended is deleted, and how much at once: all that a busy minute leaves behind. */
const CLEAN_EVERY_MS = 60_000;
const MAX_DELETED = 10_000;

/** The counts of an installation without Redis. */
export class PostgresRequestCounts implements RequestCounts {
  readonly #runner: SqlRunner;
  readonly #now: () => number;
  #cleanedAt = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds that only go forward */
  constructor(runner: SqlRunner, now: () => number = () => performance.now()) {
    this.#runner = runner;
    this.#now = now;
  }

  async add(
    requests: ReadonlyMap<PrincipalId, number>,
  ): Promise<ReadonlyMap<PrincipalId, RequestWindow>> {
    const windows = await countRequests(this.#runner, requests);
    // Whoever counts cleans up: without requests nothing is left behind.
    if (this.#now() - this.#cleanedAt >= CLEAN_EVERY_MS) {
      this.#cleanedAt = this.#now();
      await deleteRequestCounts(this.#runner, MAX_DELETED);
    }
    return windows;
  }
}
