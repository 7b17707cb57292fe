import path from 'node:path';
import { WireClient } from '@longshore/testing/mcp';
import { Redis } from 'ioredis';
import { startChild } from '../child.ts';
import { startTask } from '../new-task.ts';
import { processUsage } from '../process-usage.ts';
import { note, report } from '../report.ts';
import { startServers } from '../servers.ts';

/** Warms up, and is a batch whose share of Redis is looked at. */
const SMALL = 100_000;
const LARGE = Number(process.env['MAP_ITEMS'] ?? 1_000_000);
/** Reads of a status before the API is looked at: its heap grows with the first thousands, whatever they are. */
const WARM_UP_READS = 10_000;
/** Clients that read how far the task is, one read after the other. */
const READERS = 4;
const PROMISED = { redisMiB: 50, workerMiB: 256 };

/** MiB at one moment. */
interface Sample {
  readonly redis: number;
  readonly api: number;
  readonly worker: number;
}

interface Peaks {
  readonly redis: number;
  /** In the first half of the time, and in the second. */
  readonly apiFirst: number;
  readonly apiLater: number;
  readonly worker: number;
}

/**
 * Memory during batches that clients started and keep reading the status of: Redis over what it had when it was
 * empty, the API in the second half of a batch against the first half, and the worker.
 */
export async function mapMemory(): Promise<void> {
  const servers = await startServers();
  const redis = new Redis(servers.redisUrl);
  const emptyMiB = await usedMiB(redis);
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    PLUGINS: path.join(import.meta.dirname, 'map-plugin.js'),
    BUNDLED_PLUGINS: 'false',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  };
  const worker = await startChild('apps/worker/dist/main.js', environment);
  const api = await startChild('apps/api/dist/main.js', environment);
  try {
    const session = await WireClient.initialized(String(api.ready['url']));
    const measured = async (items: number): Promise<Peaks> => {
      const samples: Sample[] = [];
      const watch = setInterval(() => {
        const [apiMiB, workerMiB] = [api, worker].map(({ pid }) => processUsage(pid).rssMiB);
        void usedMiB(redis).then((used) =>
          samples.push({ api: apiMiB ?? 0, worker: workerMiB ?? 0, redis: used - emptyMiB }),
        );
      }, 20);
      try {
        const reads = await runBatch(session, items);
        note(`${items} items, ${reads} reads of the status`);
      } finally {
        clearInterval(watch);
      }
      return peaksOf(samples);
    };
    const small = await measured(SMALL);
    report(`map/redis-peak-${SMALL}`, small.redis, 'MiB', PROMISED.redisMiB);
    await warmUp(session);
    const large = await measured(LARGE);
    report(`map/redis-peak-${LARGE}`, large.redis, 'MiB', PROMISED.redisMiB);
    report(`map/api-peak-rss-${LARGE}`, large.apiLater, 'MiB', large.apiFirst);
    report(`map/worker-peak-rss-${LARGE}`, large.worker, 'MiB', PROMISED.workerMiB);
  } finally {
    await worker.stop();
    await api.stop();
    redis.disconnect();
    await servers.stop();
  }
}

function peaksOf(samples: readonly Sample[]): Peaks {
  const half = Math.floor(samples.length / 2);
  const peak = (what: keyof Sample, some = samples): number =>
    Math.max(...some.map((sample) => sample[what]));
  return {
    redis: peak('redis'),
    apiFirst: peak('api', samples.slice(0, half)),
    apiLater: peak('api', samples.slice(half)),
    worker: peak('worker'),
  };
}

/** @returns how often its status was read meanwhile */
async function runBatch(session: WireClient, items: number): Promise<number> {
  const taskId = await startTask(session, 'map', { items });
  return inParallel(async () => {
    for (let reads = 1; ; reads += 1) {
      const { status } = await session.result('tasks/get', { taskId });
      if (status === 'completed') return reads;
      if (status !== 'working') throw new Error(`the batch is ${String(status)}`);
    }
  });
}

async function warmUp(session: WireClient): Promise<void> {
  const taskId = await startTask(session, 'map', { items: 1 });
  await inParallel(async () => {
    const reads = WARM_UP_READS / READERS;
    for (let read = 0; read < reads; read += 1) await session.result('tasks/get', { taskId });
    return reads;
  });
}

/** @returns what all readers return, together */
async function inParallel(reader: () => Promise<number>): Promise<number> {
  const reads = await Promise.all(Array.from({ length: READERS }, reader));
  return reads.reduce((sum, own) => sum + own, 0);
}

async function usedMiB(redis: Redis): Promise<number> {
  const used = /^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1];
  return Number(used) / 1_048_576;
}
