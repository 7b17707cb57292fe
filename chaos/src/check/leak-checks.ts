import type { Evidence, Usage, Violation } from './evidence.ts';

/**
 * What BullMQ keeps of a queue for ever, a few hundred bytes each: `meta` (its options), `id` (a counter),
 * `events` (a stream, cut to about 100 entries), `marker` (wakes workers). All other keys of a queue belong to
 * its jobs, and no job is left.
 */
const PERMANENT = /^longshore:longshore-[^:]+:(meta|id|events|marker)$/;

export function checkRedisKeys({ redisKeys }: Pick<Evidence, 'redisKeys'>): Violation[] {
  return redisKeys.flatMap(({ key, ttlMs }) =>
    ttlMs !== null || PERMANENT.test(key)
      ? []
      : [{ check: 'redis', subject: key, problem: 'is left in Redis for ever' }],
  );
}

/** Connections come and go with the load; a few more than at the start are within a pool's habits. */
const MORE_CONNECTIONS = 10;

/** A process keeps some of what its heap grew under load; the bound of the heap (chaos-system.ts) bounds that. */
const MORE_RSS_MIB = 128;

export function checkUsage({ before, after }: Evidence): Violation[] {
  const found: Violation[] = [];
  for (const name of ['postgresConnections', 'redisConnections'] as const) {
    if (after[name] <= before[name] + MORE_CONNECTIONS) continue;
    const problem = `${before[name]} at the start, ${after[name]} at the end`;
    found.push({ check: 'connections', subject: name, problem });
  }
  for (const [name, rss] of Object.entries(after.rssMiB)) {
    const atStart = before.rssMiB[name] ?? 0;
    if (rss <= atStart + MORE_RSS_MIB) continue;
    const problem = `${Math.round(atStart)} MiB at the start, ${Math.round(rss)} MiB at the end`;
    found.push({ check: 'memory', subject: name, problem });
  }
  return found;
}

/** @returns whether connections are back to where they were */
export function isBack(before: Usage, after: Usage): boolean {
  return (
    after.postgresConnections <= before.postgresConnections + MORE_CONNECTIONS &&
    after.redisConnections <= before.redisConnections + MORE_CONNECTIONS
  );
}

/** Nobody sees what is another's. */
export function checkStrangers({ looks }: Evidence): Violation[] {
  return looks.flatMap(({ taskId, owner, by, end, how }) => {
    const isHidden = owner === by || (how === 'get' && end?.kind === 'not_found');
    if (isHidden) return [];
    const problem = `of principal ${owner} is shown to ${by} by tasks/${how}`;
    return [{ check: 'foreign', subject: taskId, problem }];
  });
}

export function checkProcesses({ misbehaved }: Evidence): Violation[] {
  return misbehaved.map((problem) => ({ check: 'process', subject: 'process', problem }));
}
