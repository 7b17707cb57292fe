/*
 * Where the servers of a test run are. `npm test` starts them and sets both variables; a single test file
 * can be run against any server named by hand.
 */

/**
 * @returns the URL of a PostgreSQL role that may create databases
 * @throws {Error} saying what to set
 */
export function testDatabaseUrl(): string {
  const url = process.env['TEST_DATABASE_URL'];
  if (url !== undefined && url !== '') return url;
  throw new Error(
    'TEST_DATABASE_URL is not set: run "npm test -- <file>", which starts a PostgreSQL, or set it to the URL of a role that may create databases',
  );
}

/** Whether there is a Redis for this test run. */
export function hasTestRedis(): boolean {
  const url = process.env['TEST_REDIS_URL'];
  return url !== undefined && url !== '';
}

/** What to do to have one. */
export const REDIS_INSTRUCTIONS =
  'install redis-server, which "npm test" then starts, or set TEST_REDIS_URL';

/**
 * @returns the URL of a Redis server, without a database number of its own: see `createTestRedis`
 * @throws {Error} saying what to do
 */
export function testRedisUrl(): string {
  const url = process.env['TEST_REDIS_URL'];
  if (url !== undefined && url !== '') return url;
  throw new Error(`TEST_REDIS_URL is not set: ${REDIS_INSTRUCTIONS}`);
}
