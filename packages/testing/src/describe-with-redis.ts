import { jestGlobals } from './jest-globals.ts';
import { hasTestRedis, REDIS_INSTRUCTIONS, testRedisUrl } from './test-servers.ts';

/**
 * `describe` for tests that need Redis. A machine without Redis must be able to run `npm test`, and must
 * not be told that these tests passed: there, jest lists the group as "todo", which counts neither as passed
 * nor as failed, and `npm test` repeats the number at the end. Where `CI` is set it fails instead.
 */
export function describeWithRedis(name: string, tests: () => void): void {
  const { describe, it } = jestGlobals();
  if (hasTestRedis()) {
    describe(name, tests);
    return;
  }
  describe(name, () => {
    if (isOnCi()) it('has a Redis to run against', () => void testRedisUrl());
    else it.todo(`NOT RUN, there is no Redis: ${REDIS_INSTRUCTIONS}`);
  });
}

function isOnCi(): boolean {
  const ci = process.env['CI'];
  return ci !== undefined && ci !== '' && ci !== 'false' && ci !== '0';
}
