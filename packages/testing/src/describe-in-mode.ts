import { describe } from '@jest/globals';
import { describeWithRedis } from '@longshore/testing';
import type { Mode } from './stack.ts';

const SUFFIX: Readonly<Record<Mode, string>> = {
  postgres: ', Postgres only',
  redis: ', with Redis',
};

/**
 * `describe` for tests of what is the same with either queue and bus: they run with one of them, or, where
 * TEST_QUEUES=both is set, with both. What depends on them has tests with both always: the ports in
 * packages/queue, replicas, streams that are resumed, kills, clocks, limits.
 */
export function describeInMode(what: string, mode: Mode, tests: (mode: Mode) => void): void {
  const modes: readonly Mode[] =
    process.env['TEST_QUEUES'] === 'both' ? ['postgres', 'redis'] : [mode];
  for (const each of modes) {
    const group = each === 'redis' ? describeWithRedis : describe;
    group(`${what}${SUFFIX[each]}`, () => tests(each));
  }
}
