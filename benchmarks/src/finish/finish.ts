import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { type JobQueue, silentLogger, type TaskId } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { openMessaging } from '@longshore/queue';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import pg from 'pg';
import { type Child, startChild } from '../child.ts';
import { processUsage } from '../process-usage.ts';
import { IS_GUARD, median, note, report, size } from '../report.ts';
import { type Servers, startServers } from '../servers.ts';
import {
  ALL_FINISHED,
  acceptTasks,
  addJobs,
  addRaw,
  forgetTasks,
  type Timed,
  timed,
  untilTrue,
} from './no-op-runs.ts';

const TASKS = size(20_000, 5_000, 500);
const ROUNDS = size(3, 3, IS_GUARD ? 3 : 1);
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
    for (const setting of SETTINGS)
      await measure(setting, { servers, database, pool, connection, rawQueue });
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
  readonly connection: Redis;
  readonly rawQueue: Queue;
}

async function measure(
  setting: Setting,
  { servers, database, pool, connection, rawQueue }: Bench,
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
    const rounds = { raw: [] as Timed[], longshore: [] as Timed[] };
    const stored = { walBytes: [] as number[], tableBytes: [] as number[] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const rawRound = await timed(servers, [raw], tasks, async () => {
        raw.send({ goal: tasks });
        const done = raw.next();
        await addRaw(rawQueue, tasks);
        await done;
      });
      await forgetTasks(pool);
      const before = await readStored(pool);
      const ids = await acceptTasks(database, pool, tasks);
      const ownRound = await timed(servers, own, tasks, async () => {
        await addJobs(messaging.jobs, 'default', ids);
        await untilTrue(pool, ALL_FINISHED);
      });
      const after = await readStored(pool);
      if (round === 0) continue; // warms up
      rounds.raw.push(rawRound);
      rounds.longshore.push(ownRound);
      stored.walBytes.push((after.walBytes - before.walBytes) / tasks);
      stored.tableBytes.push((after.tableBytes - before.tableBytes) / tasks);
    }
    note(`finish/${name}: medians of ${ROUNDS} interleaved rounds of ${tasks} tasks`);
    const each = (party: 'raw' | 'longshore', of: keyof Timed): number[] =>
      rounds[party].map((round) => round[of]);
    const mid = (of: keyof Timed): number => median(each('raw', of));
    const named = `finish/${name}/longshore`;
    report(`finish/${name}/raw-bullmq`, each('raw', 'perSecond'), 'jobs/s');
    report(named, each('longshore', 'perSecond'), 'tasks/s', mid('perSecond'));
    report(`${named}-cpu`, each('longshore', 'cpuUs'), 'us/task', mid('cpuUs'));
    report(`${named}-postgres-cpu`, each('longshore', 'postgresUs'), 'us/task');
    report(`${named}-redis-cpu`, each('longshore', 'redisUs'), 'us/task', mid('redisUs'));
    report(
      `${named}-rss`,
      Math.max(...own.map(({ pid }) => processUsage(pid).rssMiB)),
      'MiB',
      processUsage(raw.pid).rssMiB,
    );
    const usage = servers.usage();
    report(`${named}-postgres-rss`, usage.postgres.rssMiB, 'MiB');
    report(`${named}-redis-rss`, usage.redis.rssMiB, 'MiB');
    if (setting !== SETTINGS[0]) return;
    report(`${named}-wal`, stored.walBytes, 'bytes/task');
    report(`${named}-tables`, stored.tableBytes, 'bytes/task');
    const waiting = await waitingBytes(connection, messaging.jobs, tasks);
    report(`${named}-redis-memory`, waiting.longshore, 'bytes/task', waiting.raw);
  } finally {
    await Promise.all([raw, ...own].map((child) => child.stop()));
    await messaging.jobs.stop();
  }
}

/** Bytes of write-ahead log so far, and of the tables of a task with their indexes. */
async function readStored(pool: pg.Pool): Promise<{ walBytes: number; tableBytes: number }> {
  const { rows } = await pool.query<{ wal: number; tables: number }>(
    `SELECT (pg_current_wal_lsn() - '0/0')::float8 AS wal,
       (pg_total_relation_size('tasks') + pg_total_relation_size('task_results')
         + pg_total_relation_size('task_events'))::float8 AS tables`,
  );
  return { walBytes: rows[0]?.wal ?? 0, tableBytes: rows[0]?.tables ?? 0 };
}

/** Memory that Redis takes for each job that waits, in queues that nobody serves. */
async function waitingBytes(
  redis: Redis,
  jobs: JobQueue,
  tasks: number,
): Promise<{ raw: number; longshore: number }> {
  const used = async (): Promise<number> =>
    Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
  const unserved = new Queue('raw-unserved', { connection: redis });
  const empty = await used();
  await addRaw(unserved, tasks);
  const withRaw = await used();
  await unserved.obliterate();
  await unserved.close();
  const emptyAgain = await used();
  const ids = Array.from({ length: tasks }, () => randomUUID() as string as TaskId);
  await addJobs(jobs, 'unserved', ids);
  return { raw: (withRaw - empty) / tasks, longshore: ((await used()) - emptyAgain) / tasks };
}
