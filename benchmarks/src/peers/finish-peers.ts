import path from 'node:path';
import { silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { openMessaging } from '@longshore/queue';
import { Queue } from 'bullmq';
import pg from 'pg';
import { startChild } from '../child.ts';
import {
  ALL_FINISHED,
  acceptTasks,
  addJobs,
  forgetTasks,
  type Timed,
  timed,
  untilTrue,
} from '../finish/no-op-runs.ts';
import { median, note, report, size } from '../report.ts';
import { startBullMq } from './bullmq.ts';
import type { Backlog, Start } from './engine.ts';
import { startGraphileWorker } from './graphile-worker.ts';
import type { Part } from './part.ts';
import { startPgBoss } from './pg-boss.ts';

const JOBS = size(20_000, 5_000, 500);
const ROUNDS = size(3, 3, 1);

/** Ours: rows accepted and jobs added while the queue stands still. */
const startLongshore: Start<Backlog> = async (part, concurrency) => {
  const { databaseUrl, redisUrl } = part.servers;
  const database = openDatabase({ url: databaseUrl, log: silentLogger });
  part.atEnd(() => database.close());
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  part.atEnd(() => pool.end());
  const messaging = openMessaging({ redisUrl, databaseUrl, log: silentLogger });
  await messaging.jobs.start();
  part.atEnd(() => messaging.jobs.stop());
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue('longshore-default', { connection, prefix: 'longshore' });
  part.atEnd(() => queue.close());
  const worker = await part.start(
    startChild('apps/worker/dist/main.js', {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrl,
      WORKER_CONCURRENCY: String(concurrency),
      PLUGINS: path.join(import.meta.dirname, '../finish/noop-plugin.js'),
      BUNDLED_PLUGINS: 'false',
    }),
  );
  return {
    pid: worker.pid,
    store: async (jobs) => {
      await forgetTasks(pool);
      const ids = await acceptTasks(database, pool, jobs);
      await queue.pause();
      await addJobs(messaging.jobs, 'default', ids);
    },
    finish: async () => {
      await queue.resume();
      await untilTrue(pool, ALL_FINISHED);
    },
  };
};

const STARTS = {
  longshore: startLongshore,
  bullmq: startBullMq,
  'graphile-worker': startGraphileWorker,
  'pg-boss': startPgBoss,
} as const satisfies Record<string, Start<Backlog>>;
type Name = keyof typeof STARTS;
const NAMES = Object.keys(STARTS) as Name[];

/** No-op jobs per second that are stored already, and the CPU of the one process that runs them. */
export async function finishPeers(part: Part, concurrency: number): Promise<void> {
  const backlogs = new Map<Name, Backlog>();
  for (const name of NAMES) {
    backlogs.set(name, await STARTS[name](part, concurrency));
  }
  const rounds = new Map(NAMES.map((name) => [name, [] as Timed[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, backlog] of backlogs) {
      await backlog.store(JOBS);
      const measured = await timed(part.servers, [backlog], JOBS, () => backlog.finish(JOBS));
      if (round > 0) rounds.get(name)?.push(measured); // round 0 warms up
    }
  }
  const prefix = `peers/finish/${concurrency}`;
  note(`${prefix}: medians of ${ROUNDS} interleaved rounds of ${JOBS} jobs`);
  const each = (name: Name, of: keyof Timed): number[] =>
    (rounds.get(name) ?? []).map((round) => round[of]);
  for (const name of NAMES) {
    report(`${prefix}/${name}`, each(name, 'perSecond'), 'jobs/s');
    report(`${prefix}/${name}-cpu`, each(name, 'cpuUs'), 'us/job');
    if (name === 'longshore') continue;
    const [own, peer] = [each('longshore', 'perSecond'), each(name, 'perSecond')];
    report(`${prefix}/longshore-to-${name}`, own, 'jobs/s', median(peer));
  }
}
