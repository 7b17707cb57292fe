import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, it } from '@jest/globals';

const ROOT = path.join(import.meta.dirname, '../../..');

/** Runs fixtures/with-redis.case.ts in a jest of its own. */
function runJest(env: Record<string, string>): Record<string, unknown> {
  const config = path.join(ROOT, 'jest.config.js');
  const args = ['--experimental-vm-modules', path.join(ROOT, 'node_modules/jest/bin/jest.js')];
  const selection = [`--config=${config}`, '--selectProjects=unit', '--json'];
  const test = '--testMatch=**/fixtures/with-redis.case.ts';
  const { CI: _, TEST_REDIS_URL: __, ...environment } = process.env;
  const { stdout } = spawnSync(process.execPath, [...args, ...selection, test], {
    cwd: ROOT,
    env: { ...environment, ...env },
    encoding: 'utf8',
  });
  const { numPassedTests, numFailedTests, numTodoTests, numPendingTests } = JSON.parse(stdout);
  return { numPassedTests, numFailedTests, numTodoTests, numPendingTests };
}

const NONE = { numPassedTests: 0, numFailedTests: 0, numTodoTests: 0, numPendingTests: 0 };

it('runs the tests where there is a Redis', () => {
  expect(runJest({ TEST_REDIS_URL: 'redis://127.0.0.1:1' })).toEqual({
    ...NONE,
    numPassedTests: 1,
  });
});

it('counts them as neither passed nor failed on a machine without', () => {
  expect(runJest({})).toEqual({ ...NONE, numTodoTests: 1 });
});

it('fails without Redis on CI', () => {
  expect(runJest({ CI: 'true' })).toEqual({ ...NONE, numFailedTests: 1 });
});
