import { jestGlobals } from './jest-globals.ts';
import { hasTestRedis, REDIS_INSTRUCTIONS } from './test-servers.ts';

/**
 * `describe` for tests that need what not every machine has. A machine without it must be able to run
 * `npm test`, and must not be told that these tests passed: there, jest lists the group as "todo", which counts
 * neither as passed nor as failed, and `npm test` repeats the number at the end. Where `CI` is set it fails
 * instead.
 *
 * @param missing what is not there, and how to have it; null: it is there
 */
export function describeWhere(name: string, missing: string | null, tests: () => void): void {
  const { describe, it } = jestGlobals();
  if (missing === null) {
    describe(name, tests);
    return;
  }
  describe(name, () => {
    if (!isOnCi()) it.todo(`NOT RUN, ${missing}`);
    else
      it('has what it needs', () => {
        throw new Error(missing);
      });
  });
}

export function describeWithRedis(name: string, tests: () => void): void {
  const missing = hasTestRedis() ? null : `there is no Redis: ${REDIS_INSTRUCTIONS}`;
  describeWhere(name, missing, tests);
}

function isOnCi(): boolean {
  const ci = process.env['CI'];
  return ci !== undefined && ci !== '' && ci !== 'false' && ci !== '0';
}
