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
import { type Servers, startServers } from '../servers.ts';

const TASKS = size(20_000, 5_000, 500);
const ROUNDS = size(3, 3, 1);
const CHUNK = 500;
/** With Postgres as queue there are fewer, for it takes longer. */
const POSTGRES_TASKS = size(4_000, 1_000, 500);

interface Setting {
  /** As in `finish/64/longshore`. */
  readonly name: string;
  readonly concurrency: number;
  readonly workers: number;
  readonly tasks: number;
  readonly queue: 'redis' | 'postgres';
}

const onRedis = (concurrency: number, workers = 1): Setting => ({
  name: workers === 1 ? `${concurrency}` : `${concurrency}x${workers}`,
  concurrency,
  workers,
  tasks: TASKS,
  queue: 'redis',
});
const onPostgres = (concurrency: number): Setting => ({
  ...onRedis(concurrency),
  name: `${concurrency}-postgres`,
  tasks: POSTGRES_TASKS,
  queue: 'postgres',
});

const SETTINGS = [
  onRedis(64),
  onRedis(16),
  onRedis(1),
  onRedis(64, 2),
  onRedis(64, 4),
  onPostgres(64),
  onPostgres(16),
].slice(0, size(7, 7, 1));

/**
 * No-op tasks per second end to end, rows already accepted: job added, claimed, run, finished and stored; by one worker
 * process or several, with Redis or Postgres as queue. Beside raw BullMQ add + process of as many no-op jobs on Redis, in
 * one process of the same concurrency, in interleaved rounds.
 */
export async function finish(): Promise<void> {
  const servers = await startServers();
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  const pool = new pg.Pool({ connectionString: servers.databaseUrl, max: 1 });
  const connection = new Redis(servers.redisUrl, { maxRetriesPerRequest: null });
  const rawQueue = new Queue('raw', { connection, defaultJobOptions: { removeOnComplete: true } });
  try {
    for (const setting of SETTINGS) await measure(setting, { servers, database, pool, rawQueue });
  } finally {
    await rawQueue.close();
    connection.disconnect();
    await pool.end();
    await database.close();
    await servers.stop();
  }
}

interface Bench {
  readonly servers: Servers;
  readonly database: Database;
  readonly pool: pg.Pool;
  readonly rawQueue: Queue;
}

async function measure(
  setting: Setting,
  { servers, database, pool, rawQueue }: Bench,
): Promise<void> {
  const { name, concurrency, workers, tasks, queue } = setting;
  const redisUrl = queue === 'redis' ? servers.redisUrl : null;
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    WORKER_CONCURRENCY: String(concurrency),
    PLUGINS: path.join(import.meta.dirname, 'noop-plugin.js'),
    BUNDLED_PLUGINS: 'false',
  };
  const raw = await startChild('benchmarks/dist/finish/raw-worker.js', {
    ...environment,
    REDIS_URL: servers.redisUrl,
  });
  const own: Child[] = [];
  const messaging = openMessaging({
    redisUrl,
    databaseUrl: servers.databaseUrl,
    log: silentLogger,
  });
  await messaging.jobs.start();
  try {
    for (let n = 0; n < workers; n += 1) {
      const queueOf = redisUrl === null ? {} : { REDIS_URL: redisUrl };
      own.push(await startChild('apps/worker/dist/main.js', { ...environment, ...queueOf }));
    }
    const rates = { raw: [] as number[], longshore: [] as number[] };
    const cpuUs = { raw: [] as number[], longshore: [] as number[] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rawRound = await timed([raw], tasks, () => runRaw(rawQueue, raw, tasks));
      const ids = await acceptTasks(database, pool, tasks);
      const ownRound = await timed(own, tasks, () => runTasks(messaging.jobs, pool, ids));
      if (round === 0) continue; // warms up
      rates.raw.push(rawRound.perSecond);
      rates.longshore.push(ownRound.perSecond);
      cpuUs.raw.push(rawRound.cpuUs);
      cpuUs.longshore.push(ownRound.cpuUs);
    }
    note(`finish/${name}: medians of ${ROUNDS} interleaved rounds of ${tasks} tasks`);
    report(`finish/${name}/raw-bullmq`, rates.raw, 'jobs/s');
    report(`finish/${name}/longshore`, rates.longshore, 'tasks/s', median(rates.raw));
    report(`finish/${name}/longshore-cpu`, cpuUs.longshore, 'us/task', median(cpuUs.raw));
    report(
      `finish/${name}/longshore-rss`,
      Math.max(...own.map(({ pid }) => processUsage(pid).rssMiB)),
      'MiB',
      processUsage(raw.pid).rssMiB,
    );
  } finally {
    await Promise.all([raw, ...own].map((child) => child.stop()));
    await messaging.jobs.stop();
  }
}

/** The rate of a run and what it cost the processes that did the work, in microseconds per task. */
async function timed(
  children: readonly Child[],
  tasks: number,
  run: () => Promise<void>,
): Promise<{ perSecond: number; cpuUs: number }> {
  const cpuMs = (): number => children.reduce((sum, { pid }) => sum + processUsage(pid).cpuMs, 0);
  const before = cpuMs();
  const startedAt = performance.now();
  await run();
  const ms = performance.now() - startedAt;
  const cpu = cpuMs() - before;
  return { perSecond: (tasks * 1_000) / ms, cpuUs: (cpu * 1_000) / tasks };
}

async function runRaw(queue: Queue, worker: Child, tasks: number): Promise<void> {
  worker.send({ goal: tasks });
  const done = worker.next();
  for (let added = 0; added < tasks; added += CHUNK) {
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
async function acceptTasks(database: Database, pool: pg.Pool, count: number): Promise<TaskId[]> {
  await pool.query('TRUNCATE tasks CASCADE');
  const session = await database.sessionStore.create({
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'test', version: '1' },
    clientCapabilities: {},
    identity: null,
  });
  const ids: TaskId[] = [];
  for (let accepted = 0; accepted < count; accepted += CHUNK) {
    const tasks = Array.from({ length: CHUNK }, () =>
      newTask(session, 'noop', { text: 'x'.repeat(64), n: 5 }),
    );
    await Promise.all(tasks.map((task) => database.taskStore.accept(task)));
    ids.push(...tasks.map((task) => task.id));
  }
  await pool.query('VACUUM ANALYZE tasks');
  return ids;
}
