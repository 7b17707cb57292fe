import type { PrincipalId } from './brand.ts';

/** The requests of one principal in the minute that runs, at all processes. */
export interface RequestWindow {
  readonly requests: number;
  /** Milliseconds until the count begins anew. */
  readonly endsInMs: number;
}

/** Counts requests in windows of a minute, which begin with the first request of a principal. */
export interface RequestCounts {
  /**
   * Adds requests, above 0 each. Losing the counts costs nobody more than a minute's limit.
   *
   * @returns the window of each principal
   * @throws whatever its server throws when it does not answer
   */
  add(requests: ReadonlyMap<PrincipalId, number>): Promise<ReadonlyMap<PrincipalId, RequestWindow>>;
}
