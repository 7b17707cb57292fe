import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WireClient } from '@longshore/testing/mcp';
import { Queue, QueueEvents } from 'bullmq';
import { Redis } from 'ioredis';
import { startChild } from '../child.ts';
import { startTask } from '../new-task.ts';
import { median, note, percentile, report, size } from '../report.ts';
import { startServers } from '../servers.ts';

/** Percent of the peak. */
const RATES = [10, 50, 90].slice(0, size(3, 3, 1));
const ROUNDS = size(3, 3, 1);
const SECONDS = size(10, 4, 0.5);
const PEAK_SECONDS = size(5, 3, 0.5);
const CONCURRENCY = 64;
const SESSIONS = 16;
const ARGUMENTS = { text: 'x'.repeat(64), n: 5 };
const PARTIES = ['raw', 'longshore'] as const;
type Party = (typeof PARTIES)[number];

/**
 * Milliseconds from sending a call that becomes a task until its result has arrived, through an API and one worker,
 * at rates of so many percent of the peak; beside raw BullMQ add + waitUntilFinished at the same rates, in interleaved
 * rounds. Calls are sent at fixed times, whether earlier ones are answered or not, and counted from these times: so
 * those that would have been held up in a client count as late as they were.
 */
export async function latency(): Promise<void> {
  const servers = await startServers();
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    PLUGINS: path.join(import.meta.dirname, '../finish/noop-plugin.js'),
    BUNDLED_PLUGINS: 'false',
    WORKER_CONCURRENCY: String(CONCURRENCY),
    RATE_LIMIT_PER_MINUTE: '1000000000',
    MAX_OPEN_STREAMS: '10000',
    LOG_LEVEL: 'silent',
  };
  const connection = new Redis(servers.redisUrl, { maxRetriesPerRequest: null });
  const listening = connection.duplicate();
  // As many are kept as may have ended before their client asks.
  const defaultJobOptions = { removeOnComplete: 10_000 };
  const queue = new Queue('raw', { connection, defaultJobOptions }).setMaxListeners(0);
  const events = new QueueEvents('raw', { connection: listening });
  const children = [
    await startChild('benchmarks/dist/finish/raw-worker.js', environment),
    await startChild('apps/worker/dist/main.js', environment),
    await startChild('apps/api/dist/main.js', environment),
  ];
  try {
    const [raw, , api] = children;
    raw?.send({ goal: Number.MAX_SAFE_INTEGER });
    await events.waitUntilReady();
    const url = String(api?.ready['url']);
    const sessions = await Promise.all(
      Array.from({ length: SESSIONS }, () => WireClient.initialized(url)),
    );
    let turn = 0;
    await measure({
      raw: async () => {
        const job = await queue.add('task', ARGUMENTS);
        await job.waitUntilFinished(events);
      },
      longshore: async () => {
        turn += 1;
        const session = sessions[turn % SESSIONS];
        if (session === undefined) throw new Error('no session');
        const taskId = await startTask(session, 'noop', ARGUMENTS);
        await session.result('tasks/result', { taskId });
      },
    });
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    await events.close();
    await queue.close();
    connection.disconnect();
    listening.disconnect();
    await servers.stop();
  }
}

async function measure(complete: Record<Party, () => Promise<void>>): Promise<void> {
  const peaks = { raw: [] as number[], longshore: [] as number[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const party of PARTIES) {
      const perSecond = await peak(complete[party]);
      if (round > 0) peaks[party].push(perSecond); // round 0 warms up
    }
  }
  note(
    `latency/peak: ${CONCURRENCY} clients, each with its next call as soon as it has its result`,
  );
  report('latency/peak/raw-bullmq', peaks.raw, 'jobs/s');
  report('latency/peak/longshore', peaks.longshore, 'tasks/s', median(peaks.raw));
  for (const percent of RATES) {
    const perSecond = (median(peaks.longshore) * percent) / 100;
    const rounds = { raw: [] as number[][], longshore: [] as number[][] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const party of PARTIES) rounds[party].push(await atRate(perSecond, complete[party]));
    }
    const name = `latency/${percent}`;
    note(
      `${name}: ${ROUNDS} interleaved rounds of ${SECONDS} s with ${perSecond.toFixed()} a second`,
    );
    for (const part of [50, 95, 99]) {
      const each = (party: Party): number[] =>
        rounds[party].map((times) => percentile(times, part / 100));
      report(`${name}/raw-bullmq-p${part}`, each('raw'), 'ms');
      report(`${name}/longshore-p${part}`, each('longshore'), 'ms', median(each('raw')));
    }
  }
}

/** @returns how many a second are completed when so many clients have one each under way all the time */
async function peak(complete: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  const endsAt = startedAt + PEAK_SECONDS * 1_000;
  let completed = 0;
  await Promise.all(
    Array.from({ length: CONCURRENCY }, async () => {
      while (performance.now() < endsAt) {
        await complete();
        completed += 1;
      }
    }),
  );
  return (completed * 1_000) / (performance.now() - startedAt);
}

/** @returns milliseconds from when each was due until it was completed */
async function atRate(perSecond: number, complete: () => Promise<void>): Promise<number[]> {
  const count = Math.max(1, Math.round(perSecond * SECONDS));
  const startsAt = performance.now();
  const under: Promise<number>[] = [];
  while (under.length < count) {
    const dueAt = startsAt + (under.length * 1_000) / perSecond;
    const inMs = dueAt - performance.now();
    if (inMs > 0) await delay(inMs);
    under.push(complete().then(() => performance.now() - dueAt));
  }
  return Promise.all(under);
}
