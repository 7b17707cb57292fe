import type { PrincipalId, RequestCounts, RequestWindow } from '@longshore/core';
import { requestCountPrefix } from '../connections/keys.ts';
import { RedisWindows, type RedisWindowsOptions } from './redis-windows.ts';

const WINDOW_MS = 60_000;

/** Requests per minute in Redis. It counts and nothing else: who is refused is decided where they come in, without asking. */
export class RedisRequestCounts extends RedisWindows implements RequestCounts {
  constructor(options: RedisWindowsOptions) {
    super('limits', options);
  }

  /** @throws {LongshoreError} QUEUE_UNAVAILABLE; part of the requests may have been counted */
  async add(
    requests: ReadonlyMap<PrincipalId, number>,
  ): Promise<ReadonlyMap<PrincipalId, RequestWindow>> {
    const prefix = requestCountPrefix(this.prefix);
    const principals = [...requests.keys()];
    const byKey = new Map([...requests].map(([id, count]) => [`${prefix}:${id}`, count]));
    const windows = await this.count(byKey, WINDOW_MS, Number.MAX_SAFE_INTEGER);
    return new Map(
      windows.flatMap(({ count, endsInMs }, index) => {
        const principal = principals[index];
        return principal === undefined ? [] : [[principal, { requests: count, endsInMs }]];
      }),
    );
  }
}
