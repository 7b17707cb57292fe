// The server under test, as in production: two APIs behind a proxy that knows no affinity, a worker, Postgres
// and, where there is a redis-server, Redis. Needs a build.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startRoundRobinProxy } from '../../packages/testing/dist/network/index.js';
import { guard, spawnApp } from '../../packages/testing/dist/processes/index.js';
import { createTestDatabase, createTestRedis } from '../../packages/testing/dist/servers/index.js';
import { startTestServers } from '../test-servers.js';

const root = path.join(import.meta.dirname, '..', '..');
const REPLICAS = 2;

const SETTINGS = {
  AUTH: 'none',
  HOST: '127.0.0.1',
  PORT: '0',
  PLUGINS: path.join(root, 'packages/plugin-conformance'),
  BUNDLED_PLUGINS: 'false',
  // server-sse-polling wants to see a stream that ends before its result.
  STREAM_MAX_MS: '1000',
  LOG_LEVEL: 'debug',
};

/**
 * Starts everything, with a database of its own. TEST_DATABASE_URL and TEST_REDIS_URL name servers to use
 * instead of throw-away ones.
 *
 * @param logFile gets everything the processes wrote, at `stop`
 */
export async function startServer(logFile) {
  const stops = [];
  const stop = async () => {
    for (const stopOne of stops.splice(0).reverse()) await stopOne();
  };
  try {
    const env = { ...SETTINGS, DATA_DIR: throwAwayFolder(stops), ...(await servers(stops)) };
    const worker = await spawnApp('worker', [], { env, ready: /worker ready/ });
    const apis = [];
    for (let replica = 0; replica < REPLICAS; replica += 1) {
      apis.push(await spawnApp('api', [], { env, ready: /api ready/ }));
    }
    stops.push(async () => {
      const apps = [...apis, worker];
      await Promise.all(apps.map((app) => (app.isRunning() ? app.kill() : app.exited)));
      mkdirSync(path.dirname(logFile), { recursive: true });
      writeFileSync(logFile, `${apps.map((app) => app.logs()).join('\n\n')}\n`);
    });
    const proxy = await startRoundRobinProxy(await Promise.all(apis.map(urlOf)));
    stops.push(() => proxy.close());
    return { url: proxy.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function servers(stops) {
  const { databaseUrl, redisUrl, stop } = await startTestServers(process.env);
  stops.push(stop);
  process.env.TEST_DATABASE_URL = databaseUrl;
  const database = await createTestDatabase();
  stops.push(() => database.drop());
  if (redisUrl === null) return { DATABASE_URL: database.url, REDIS_URL: '' };
  process.env.TEST_REDIS_URL = redisUrl;
  const redis = await createTestRedis();
  stops.push(() => redis.drop());
  return { DATABASE_URL: database.url, REDIS_URL: redis.url };
}

async function urlOf(api) {
  const line = await api.waitForLine(/api ready/);
  const url = /"url":"([^"]+)"/.exec(line)?.[1];
  if (url === undefined) throw new Error(`no URL in: ${line}`);
  return url;
}

function throwAwayFolder(stops) {
  const folder = mkdtempSync(path.join(tmpdir(), 'longshore-conformance-'));
  const withdraw = guard({ remove: folder });
  stops.push(() => {
    rmSync(folder, { recursive: true, force: true });
    withdraw();
  });
  return folder;
}
