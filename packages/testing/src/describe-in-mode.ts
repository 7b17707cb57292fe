import { describeWithRedis } from './describe-where.ts';
import { jestGlobals } from './jest-globals.ts';

/** `postgres`: Postgres is queue and bus as well; `redis`: as in production. */
export type Mode = 'postgres' | 'redis';

const SUFFIX: Readonly<Record<Mode, string>> = {
  postgres: ', Postgres only',
  redis: ', with Redis',
};

/**
 * `describe` for tests of what is the same with either queue and bus: they run with one of them, or, where
 * TEST_QUEUES=both is set, with both. What depends on them has tests with both always: the ports in
 * packages/queue, what a worker does with its jobs, replicas, streams that are resumed, kills, clocks, limits.
 */
export function describeInMode(what: string, mode: Mode, tests: (mode: Mode) => void): void {
  for (const each of modesInsteadOf(mode)) {
    const group = each === 'redis' ? describeWithRedis : jestGlobals().describe;
    group(`${what}${SUFFIX[each]}`, () => tests(each));
  }
}

/** @returns the modes in which to run what is the same with either: the one given, or both */
export function modesInsteadOf(mode: Mode): readonly Mode[] {
  return process.env['TEST_QUEUES'] === 'both' ? ['postgres', 'redis'] : [mode];
}
