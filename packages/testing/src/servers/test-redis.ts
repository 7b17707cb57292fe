import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { Redis } from 'ioredis';
import { testRedisUrl } from '../test-servers.ts';
import { processExists } from './process-exists.ts';

/*
 * A Redis database of its own for each test file. Which numbers are taken is kept in database 0, one key per
 * number with the process that took it; a number whose process is gone is free again. Databases with keys
 * that no test run has claimed belong to somebody else and are never touched.
 *
 * Channels of pub/sub are the same for all numbers: listeners of other test files may hear each other, which
 * costs a re-read and nothing else.
 */

const CLAIM_PREFIX = 'longshore-test:database:';
const HOST = hostname();

export interface TestRedis {
  /** With the database number. */
  readonly url: string;
  /** Deletes all keys and gives the number back. May be called twice. */
  drop(): Promise<void>;
}

/**
 * Claims an empty database of the server of TEST_REDIS_URL.
 *
 * @throws {Error} saying what to do when there is no server, or when all its databases are in use
 */
export async function createTestRedis(): Promise<TestRedis> {
  const base = testRedisUrl();
  const owner = JSON.stringify({ host: HOST, pid: process.pid, id: randomUUID() });
  const number = await withRedis(base, 0, (claims) => claimNumber(base, claims, owner));
  return {
    url: urlOf(base, number),
    drop: () =>
      withRedis(base, 0, async (claims) => {
        if ((await claims.get(CLAIM_PREFIX + number)) !== owner) return;
        await withRedis(base, number, (own) => own.flushdb());
        await claims.del(CLAIM_PREFIX + number);
      }),
  };
}

async function claimNumber(base: string, claims: Redis, owner: string): Promise<number> {
  const count = await countDatabases(claims);
  for (let number = 1; number < count; number += 1) {
    const key = CLAIM_PREFIX + number;
    const holder = await claims.get(key);
    if (holder !== null && !isLeftover(holder)) continue;
    if (!(await takeOver(claims, key, holder, owner))) continue;
    // Keys of a dead test run are rubbish; keys nobody claimed are somebody's.
    const isUsable = await withRedis(base, number, async (own) => {
      if (holder !== null) await own.flushdb();
      return (await own.dbsize()) === 0;
    });
    if (isUsable) return number;
    await claims.del(key);
  }
  throw new Error(
    `none of the ${count} Redis databases is empty and unclaimed: flush the server of TEST_REDIS_URL or start it with --databases 256`,
  );
}

/** Writes the claim if it is still what we saw, so that two processes never both get it. */
async function takeOver(
  claims: Redis,
  key: string,
  seen: string | null,
  owner: string,
): Promise<boolean> {
  if (seen === null) return (await claims.set(key, owner, 'NX')) === 'OK';
  await claims.watch(key);
  if ((await claims.get(key)) !== seen) {
    await claims.unwatch();
    return false;
  }
  return (await claims.multi().set(key, owner).exec()) !== null;
}

async function countDatabases(redis: Redis): Promise<number> {
  const reply: unknown = await redis.config('GET', 'databases');
  const count = Array.isArray(reply) ? Number(reply[1]) : Number.NaN;
  return Number.isInteger(count) ? count : 16;
}

function isLeftover(claim: string): boolean {
  const holder: unknown = JSON.parse(claim);
  if (typeof holder !== 'object' || holder === null) return true;
  if (!('host' in holder) || !('pid' in holder) || typeof holder.pid !== 'number') return true;
  return holder.host === HOST && !processExists(holder.pid);
}

async function withRedis<T>(
  base: string,
  number: number,
  use: (redis: Redis) => Promise<T>,
): Promise<T> {
  const redis = new Redis(urlOf(base, number), {
    lazyConnect: true,
    connectTimeout: 10_000,
    retryStrategy: () => null,
  });
  redis.on('error', () => {});
  await redis.connect();
  try {
    return await use(redis);
  } finally {
    redis.disconnect();
  }
}

function urlOf(base: string, number: number): string {
  const url = new URL(base);
  url.pathname = `/${number}`;
  return url.href;
}
