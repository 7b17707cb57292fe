// The servers `npm test` runs against: those named by TEST_DATABASE_URL and TEST_REDIS_URL, else a
// throw-away PostgreSQL from npm packages and the redis-server of this machine. Needs a build.
import { spawn } from 'node:child_process';
import { mkdtempSync, openSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { freePort, startEmbeddedPostgres } from '../packages/embedded/dist/index.js';
import { guard } from '../packages/testing/dist/processes/index.js';

/** Data that nobody keeps need not reach the disk. */
const THROW_AWAY = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_wal_size: '128MB',
};

/** Linux keeps what is here in memory. */
const MEMORY = '/dev/shm';

/** Far more than tests take there; a container has 64 MB unless it is told otherwise. */
const ENOUGH_BYTES = 4 * 1_073_741_824;

/**
 * Starts what is missing. `stop` ends what was started, and so does the death of this process.
 * `redisUrl` is null when there is no redis-server.
 */
export async function startTestServers(environment) {
  const stops = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    const databaseUrl = environment.TEST_DATABASE_URL || (await startPostgres(stops));
    const redisUrl = environment.TEST_REDIS_URL || (await startRedis(stops));
    return { databaseUrl, redisUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startPostgres(stops) {
  const dir = throwAwayFolder('longshore-test-postgres-', stops);
  const postgres = await startEmbeddedPostgres({ dir, settings: THROW_AWAY });
  const withdraw = guard({ pid: postgres.pid, signal: 'SIGQUIT' });
  stops.push(async () => {
    await postgres.stop();
    withdraw();
  });
  await makeLoginsCheap(postgres.url);
  return postgres.url;
}

/** Thousands of connections are made to it: the 4,096 rounds over a password are more than half of what one costs its client. */
async function makeLoginsCheap(url) {
  const client = new pg.Client(url);
  await client.connect();
  const { username, password } = new URL(url);
  await client.query('SET scram_iterations = 1');
  await client.query(
    `ALTER ROLE ${client.escapeIdentifier(decodeURIComponent(username))} PASSWORD ${client.escapeLiteral(decodeURIComponent(password))}`,
  );
  await client.end();
}

async function startRedis(stops) {
  const dir = throwAwayFolder('longshore-test-redis-', stops);
  const log = path.join(dir, 'redis.log');
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    const output = openSync(log, 'a');
    const settings = { bind: '127.0.0.1', databases: 256, dir, 'maxmemory-policy': 'noeviction' };
    const args = Object.entries({ port, ...settings }).flatMap(([key, value]) => [
      `--${key}`,
      `${value}`,
    ]);
    const child = spawn('redis-server', [...args, '--save', '', '--appendonly', 'no'], {
      detached: true,
      stdio: ['ignore', output, output],
    });
    const ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.code));
      child.once('exit', () => resolve('ended'));
    });
    let isOver = false;
    const outcome = await Promise.race([ended, answers(port, () => isOver)]);
    isOver = true;
    if (outcome === 'ENOENT') return null;
    if (outcome === 'answers') {
      const withdraw = guard({ pid: child.pid, signal: 'SIGKILL' });
      child.unref();
      stops.push(async () => {
        child.ref();
        child.kill('SIGTERM');
        await ended;
        withdraw();
      });
      return `redis://127.0.0.1:${port}`;
    }
    // Most likely somebody took the port in between.
    if (attempt === 3)
      throw new Error(`redis-server does not start:\n${readFileSync(log, 'utf8')}`);
  }
}

/** Resolves once something listens, or when it is of no interest any more. */
async function answers(port, isOver) {
  while (!isOver()) {
    const isOpen = await new Promise((resolve) => {
      const socket = createConnection({ port, host: '127.0.0.1' });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return 'answers';
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function throwAwayFolder(prefix, stops) {
  const dir = mkdtempSync(path.join(throwAwayRoot(), prefix));
  const withdraw = guard({ remove: dir });
  stops.push(async () => {
    rmSync(dir, { recursive: true, force: true });
    withdraw();
  });
  return dir;
}

/** A clone of a database is a thousand small files: on a disk most of what it costs is the file system's work. */
function throwAwayRoot() {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize >= ENOUGH_BYTES ? MEMORY : tmpdir();
  } catch {
    return tmpdir();
  }
}
