import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type JobQueue, silentLogger, type TaskId } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { openMessaging } from '@longshore/queue';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Child, startChild } from '../child.ts';
import { newTask } from '../new-task.ts';
import { processUsage } from '../process-usage.ts';
import { median, note, report, size } from '../report.ts';
import { startServers } from '../servers.ts';

const TASKS = size(20_000, 5_000, 500);
const ROUNDS = size(3, 3, 1);
const CHUNK = 500;
const CONCURRENCY = [64, 16, 1].slice(0, size(3, 3, 1));

/**
 * No-op tasks per second end to end, rows already accepted: job added, claimed, run, finished and stored;
 * beside raw BullMQ add + process of as many no-op jobs, same Redis, same concurrency, one worker process
 * each, in interleaved rounds.
 */
export async function finish(): Promise<void> {
  const servers = await startServers();
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  const messaging = openMessaging({
    redisUrl: servers.redisUrl,
    databaseUrl: servers.databaseUrl,
    log: silentLogger,
  });
  await messaging.jobs.start();
  const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 1 });
  const connection = new Redis(servers.redisUrl, { maxRetriesPerRequest: null });
  const rawQueue = new Queue('raw', { connection, defaultJobOptions: { removeOnComplete: true } });
  try {
    for (const concurrency of CONCURRENCY) {
      const environment = {
        DATABASE_URL: servers.databaseUrl,
        REDIS_URL: servers.redisUrl,
        WORKER_CONCURRENCY: String(concurrency),
        PLUGINS: path.join(import.meta.dirname, 'noop-plugin.js'),
        BUNDLED_PLUGINS: 'false',
      };
      const raw = await startChild('benchmarks/dist/finish/raw-worker.js', environment);
      const worker = await startChild('apps/worker/dist/main.js', environment);
      const rates = { raw: [] as number[], longshore: [] as number[] };
      const cpuUs = { raw: [] as number[], longshore: [] as number[] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        const rawRound = await timed(raw, () => runRaw(rawQueue, raw));
        const ids = await acceptTasks(database, pool);
        const ownRound = await timed(worker, () => runTasks(messaging.jobs, pool, ids));
        if (round === 0) continue; // warms up
        rates.raw.push(rawRound.perSecond);
        rates.longshore.push(ownRound.perSecond);
        cpuUs.raw.push(rawRound.cpuUs);
        cpuUs.longshore.push(ownRound.cpuUs);
      }
      note(
        `at concurrency ${concurrency}, medians of ${ROUNDS} interleaved rounds of ${TASKS} tasks`,
      );
      report(`finish/${concurrency}/raw-bullmq`, rates.raw, 'jobs/s');
      report(`finish/${concurrency}/longshore`, rates.longshore, 'tasks/s', median(rates.raw));
      report(`finish/${concurrency}/longshore-cpu`, cpuUs.longshore, 'us/task', median(cpuUs.raw));
      report(
        `finish/${concurrency}/longshore-rss`,
        processUsage(worker.pid).rssMiB,
        'MiB',
        processUsage(raw.pid).rssMiB,
      );
      await raw.stop();
      await worker.stop();
    }
  } finally {
    await rawQueue.close();
    connection.disconnect();
    await pool.end();
    await messaging.jobs.stop();
    await database.close();
    await servers.stop();
  }
}

/** The rate of a run and what it cost the process that did the work, in microseconds per task. */
async function timed(
  child: Child,
  run: () => Promise<void>,
): Promise<{ perSecond: number; cpuUs: number }> {
  const before = processUsage(child.pid);
  const startedAt = performance.now();
  await run();
  const ms = performance.now() - startedAt;
  const after = processUsage(child.pid);
  return { perSecond: (TASKS * 1_000) / ms, cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / TASKS };
}

async function runRaw(queue: Queue, worker: Child): Promise<void> {
  worker.send({ goal: TASKS });
  const done = worker.next();
  for (let added = 0; added < TASKS; added += CHUNK) {
    await queue.addBulk(
      Array.from({ length: CHUNK }, () => ({
        name: 'task',
        data: {},
        opts: { jobId: randomUUID() },
      })),
    );
  }
  await done;
}

async function runTasks(jobs: JobQueue, pool: pg.Pool, ids: readonly TaskId[]): Promise<void> {
  for (let added = 0; added < ids.length; added += CHUNK) {
    await jobs.add('default', ids.slice(added, added + CHUNK));
  }
  for (;;) {
    const { rows } = await pool.query<{ open: boolean }>(
      'SELECT EXISTS (SELECT 1 FROM tasks WHERE finished_at IS NULL) AS open',
    );
    if (rows[0]?.open === false) return;
    await delay(20);
  }
}

/** Rows that say their job was added, so that neither relay nor sweeper takes part. */
async function acceptTasks(database: Database, pool: pg.Pool): Promise<TaskId[]> {
  await pool.query('TRUNCATE tasks CASCADE');
  const session = await database.sessionStore.create({
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'test', version: '1' },
    clientCapabilities: {},
    identity: null,
  });
  const ids: TaskId[] = [];
  for (let accepted = 0; accepted < TASKS; accepted += CHUNK) {
    const tasks = Array.from({ length: CHUNK }, () =>
      newTask(session, 'noop', { text: 'x'.repeat(64), n: 5 }),
    );
    await Promise.all(tasks.map((task) => database.taskStore.accept(task)));
    ids.push(...tasks.map((task) => task.id));
  }
  await pool.query('VACUUM ANALYZE tasks');
  return ids;
}
