import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { openMessaging } from '@longshore/queue';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { type Child, startChild } from '../child.ts';
import { newOwner, newTask } from '../new-task.ts';
import { processUsage } from '../process-usage.ts';
import { median, note, report } from '../report.ts';
import { startServers } from '../servers.ts';

const JOBS = 20_000;
const ROUNDS = 3;
const CONCURRENCY = 16;
const ADDED_AT_ONCE = 500;

/** Items of one batch; the environment may ask for more: MAP_ITEMS=1000000. */
const ITEMS = Number(process.env['MAP_ITEMS'] ?? 100_000);

/**
 * No-op items of a `ctx.map` per second, end to end: stored, run in chunks, saved and counted; beside raw
 * BullMQ add + process of no-op jobs on the same Redis, one worker process each, in interleaved rounds.
 */
export async function map(): Promise<void> {
  const servers = await startServers();
  const { databaseUrl, redisUrl } = servers;
  const database = openDatabase({ url: databaseUrl, log: silentLogger });
  const messaging = openMessaging({ redisUrl, databaseUrl, log: silentLogger });
  await messaging.jobs.start();
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  const queue = new Queue('raw', { connection, defaultJobOptions: { removeOnComplete: true } });
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    WORKER_CONCURRENCY: String(CONCURRENCY),
    PLUGINS: path.join(import.meta.dirname, 'map-plugin.js'),
    BUNDLED_PLUGINS: 'false',
  };
  const raw = await startChild('benchmarks/dist/finish/raw-worker.js', environment);
  const worker = await startChild('apps/worker/dist/main.js', environment);
  const rates = { raw: [] as number[], map: [] as number[] };
  let peakMiB = 0;
  const watch = setInterval(() => {
    peakMiB = Math.max(peakMiB, processUsage(worker.pid).rssMiB);
  }, 250);
  try {
    for (let round = 0; round <= ROUNDS; round += 1) {
      const jobs = await perSecond(JOBS, () => runRaw(queue, raw));
      const items = await perSecond(ITEMS, async () => {
        const task = newTask(newOwner(), 'map', { items: ITEMS });
        await database.taskStore.accept(task);
        await messaging.jobs.add(task.queue, [task.id]);
        for (;;) {
          const found = await database.taskStore.findWithOutcome(task.id, task.principalId);
          if (found?.outcome !== null && found !== null) return;
          await delay(20);
        }
      });
      if (round === 0) continue; // warms up
      rates.raw.push(jobs);
      rates.map.push(items);
    }
    note(`${ITEMS} items per batch, medians of ${ROUNDS} interleaved rounds`);
    report('map/raw-bullmq', median(rates.raw), 'jobs/s');
    report('map/longshore', median(rates.map), 'items/s', median(rates.raw));
    report('map/longshore-peak-rss', peakMiB, 'MiB', 256);
  } finally {
    clearInterval(watch);
    await raw.stop();
    await worker.stop();
    await queue.close();
    connection.disconnect();
    await messaging.jobs.stop();
    await database.close();
    await servers.stop();
  }
}

async function perSecond(count: number, run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (count * 1_000) / (performance.now() - startedAt);
}

async function runRaw(queue: Queue, worker: Child): Promise<void> {
  worker.send({ goal: JOBS });
  const done = worker.next();
  for (let added = 0; added < JOBS; added += ADDED_AT_ONCE) {
    await queue.addBulk(
      Array.from({ length: ADDED_AT_ONCE }, () => ({
        name: 'task',
        data: {},
        opts: { jobId: randomUUID() },
      })),
    );
  }
  await done;
}
