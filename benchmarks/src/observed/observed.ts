import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { freePort } from '@longshore/embedded';
import { openMessaging } from '@longshore/queue';
import { WireClient } from '@longshore/testing/mcp';
import pg from 'pg';
import { announceNoop, legacyCall } from '../accept/noop-call.ts';
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
import { load } from '../load.ts';
import { newOwner, newTask } from '../new-task.ts';
import { median, note, report, size } from '../report.ts';
import { type Servers, startServers } from '../servers.ts';
import { observe } from './observer.ts';

/** A round takes as long as a page waits until it asks again. */
const PAIRS = size(10, 6, 1);
const SECONDS = size(5, 5, 1);
const CONNECTIONS = 64;
const TASKS = size(20_000, 20_000, 500);
const ITEMS = size(500_000, 500_000, 1_000);

/** One round of work. */
type Round = () => Promise<Pick<Timed, 'perSecond' | 'cpuUs'>>;

/**
 * What it costs to be looked at: accept, finish and map while a dashboard is open and metrics are read, beside the same
 * processes while nobody looks, in rounds that take turns.
 */
export async function observed(): Promise<void> {
  await withServers(observedAccept);
  await withServers(observedWork);
}

async function observedAccept(servers: Servers): Promise<void> {
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  const stopAnnouncing = await announceNoop(database);
  const api = await startChild('apps/api/dist/main.js', {
    ...urlsOf(servers),
    QUEUE_WINDOW: '1000000',
    RATE_LIMIT_PER_MINUTE: '1000000000',
    MAX_QUEUED_TASKS: '10000000',
  });
  try {
    const url = String(api.ready['url']);
    const { sessionId } = await WireClient.initialized(url);
    const call = legacyCall(sessionId);
    await inTurn('accept', 'call', url, [new URL('/metrics', url).href], async () => {
      let answered = 0;
      const run = await timed(servers, [api], 1, async () => {
        ({ answered } = await load({ url, connections: CONNECTIONS, seconds: SECONDS, ...call }));
      });
      return { perSecond: run.perSecond * answered, cpuUs: run.cpuUs / answered };
    });
  } finally {
    stopAnnouncing();
    await api.stop();
    await database.close();
  }
}

async function observedWork(servers: Servers): Promise<void> {
  const { databaseUrl, redisUrl } = servers;
  const database = openDatabase({ url: databaseUrl, log: silentLogger });
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  const messaging = openMessaging({ redisUrl, databaseUrl, log: silentLogger });
  await messaging.jobs.start();
  const api = await startChild('apps/api/dist/main.js', urlsOf(servers));
  const metricsPort = String(await freePort());
  const worker = await startChild('apps/worker/dist/main.js', {
    ...urlsOf(servers),
    WORKER_CONCURRENCY: '64',
    METRICS_PORT: metricsPort,
    PLUGINS: ['finish/noop-plugin.js', 'map/map-plugin.js']
      .map((file) => path.join(import.meta.dirname, '..', file))
      .join(),
    BUNDLED_PLUGINS: 'false',
  });
  try {
    const url = String(api.ready['url']);
    const metrics = [new URL('/metrics', url).href, `http://127.0.0.1:${metricsPort}/metrics`];
    await inTurn('finish', 'task', url, metrics, async () => {
      await forgetTasks(pool);
      const ids = await acceptTasks(database, pool, TASKS);
      return timed(servers, [worker], TASKS, async () => {
        await addJobs(messaging.jobs, 'default', ids);
        await untilTrue(pool, ALL_FINISHED);
      });
    });
    await inTurn('map', 'item', url, metrics, () =>
      timed(servers, [worker], ITEMS, async () => {
        const task = newTask(newOwner(), 'map', { items: ITEMS });
        await database.taskStore.accept(task);
        await messaging.jobs.add(task.queue, [task.id]);
        while ((await database.taskStore.find(task.id, task.principalId))?.state === 'working')
          await delay(20);
      }),
    );
  } finally {
    await worker.stop();
    await api.stop();
    await messaging.jobs.stop();
    await pool.end();
    await database.close();
  }
}

/** @param metrics URLs */
async function inTurn(
  name: string,
  unit: string,
  api: string,
  metrics: readonly string[],
  round: Round,
): Promise<void> {
  const alone: Awaited<ReturnType<Round>>[] = [];
  const looked: Awaited<ReturnType<Round>>[] = [];
  const lookedAt: Round = async () => {
    const end = observe(api, metrics);
    try {
      return await round();
    } finally {
      await end();
    }
  };
  for (let pair = 0; pair <= PAIRS; pair += 1) {
    const isTurned = pair % 2 === 1;
    const first = await (isTurned ? lookedAt() : round());
    const second = await (isTurned ? round() : lookedAt());
    if (pair === 0) continue; // warms up
    alone.push(isTurned ? second : first);
    looked.push(isTurned ? first : second);
  }
  note(`observed/${name}: medians of ${PAIRS} pairs of rounds`);
  const tell = (what: string, of: 'perSecond' | 'cpuUs', inUnit: string): void =>
    report(
      `observed/${name}/${what}`,
      looked.map((one) => one[of]),
      inUnit,
      median(alone.map((one) => one[of])),
    );
  tell('rate', 'perSecond', `${unit}s/s`);
  tell('cpu', 'cpuUs', `us/${unit}`);
}

const urlsOf = ({ databaseUrl, redisUrl }: Servers) => ({
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  PORT: '0',
});

async function withServers(work: (servers: Servers) => Promise<void>): Promise<void> {
  const servers = await startServers();
  try {
    await work(servers);
  } finally {
    await servers.stop();
  }
}
