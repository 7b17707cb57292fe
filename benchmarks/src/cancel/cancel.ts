import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WireClient } from '@longshore/testing/mcp';
import { Redis } from 'ioredis';
import { startChild } from '../child.ts';
import { startTask } from '../new-task.ts';
import { note, percentile, report } from '../report.ts';
import { startServers } from '../servers.ts';
import { listenForToolEvents, type ToolEvents } from './tool-events.ts';

const CANCELS = 200;
const LEASE_MS = 20_000;
/** Four beats a lease. */
const BEAT_MS = LEASE_MS / 4;
/** What is promised with a bus that works. */
const PROMISED_MS = 1_000;

/** A user of Redis who may do everything but say something to others. */
const MUTE = 'mute';

/**
 * From sending tasks/cancel to an API until the AbortSignal of the tool fires in the worker process: one after
 * the other with the bus, then through an API whose messages Redis refuses, at times spread over a heartbeat.
 */
export async function cancel(): Promise<void> {
  const servers = await startServers();
  const redis = new Redis(servers.redisUrl);
  const listener = new Redis(servers.redisUrl);
  /** Messages to workers that Redis has passed on. */
  let orders = 0;
  listener.on('pmessage', () => {
    orders += 1;
  });
  await listener.psubscribe('*worker:*');
  const events = await listenForToolEvents();
  await redis.call('ACL', 'SETUSER', MUTE, 'on', `>${MUTE}`, '~*', '&*', '+@all', '-publish');
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    PLUGINS: path.join(import.meta.dirname, 'waiting-plugin.js'),
    BUNDLED_PLUGINS: 'false',
    LEASE_MS: String(LEASE_MS),
    WORKER_CONCURRENCY: String(2 * CANCELS),
    MAX_CONCURRENT_TASKS: String(2 * CANCELS),
    RATE_LIMIT_PER_MINUTE: '1000000',
    BENCH_PORT: String(events.port),
    LOG_LEVEL: 'silent',
  };
  const mutedUrl = servers.redisUrl.replace('redis://', `redis://${MUTE}:${MUTE}@`);
  const children = [
    await startChild('apps/worker/dist/main.js', environment),
    await startChild('apps/api/dist/main.js', environment),
    await startChild('apps/api/dist/main.js', { ...environment, REDIS_URL: mutedUrl }),
  ];
  try {
    const [, api, mutedApi] = children;
    const told = await cancelInTurn(
      await WireClient.initialized(String(api?.ready['url'])),
      events,
    );
    note(`${CANCELS} cancels, one after the other; promised: within ${PROMISED_MS} ms`);
    tell('cancel/bus', told, PROMISED_MS);
    if (orders < CANCELS) throw new Error(`only ${orders} orders were seen: what would be muted?`);
    orders = 0;
    const muted = await cancelSpread(
      await WireClient.initialized(String(mutedApi?.ready['url'])),
      events,
    );
    if (orders > 0) throw new Error(`the bus was not muted: ${orders} orders came through`);
    note(`${CANCELS} cancels at times spread over a heartbeat of ${BEAT_MS} ms, bus muted`);
    tell('cancel/muted', muted, BEAT_MS);
  } finally {
    await Promise.all(children.map((child) => child.stop()));
    events.close();
    redis.disconnect();
    listener.disconnect();
    await servers.stop();
  }
}

async function cancelInTurn(session: WireClient, events: ToolEvents): Promise<number[]> {
  const times: number[] = [];
  for (let key = 0; key < CANCELS; key += 1) {
    const taskId = await start(session, events, key);
    times.push(await cancelled(session, events, taskId, key));
  }
  return times;
}

async function cancelSpread(session: WireClient, events: ToolEvents): Promise<number[]> {
  const keys = Array.from({ length: CANCELS }, (_, index) => CANCELS + index);
  const tasks = new Map<number, string>();
  for (const key of keys) tasks.set(key, await start(session, events, key));
  return Promise.all(
    keys.map(async (key, index) => {
      await delay((index * BEAT_MS) / CANCELS);
      return cancelled(session, events, tasks.get(key) ?? '', key);
    }),
  );
}

/** @returns the id of a task whose tool runs */
async function start(session: WireClient, events: ToolEvents, key: number): Promise<string> {
  const taskId = await startTask(session, 'waiting', { key });
  await events.at('started', key);
  return taskId;
}

/** @returns milliseconds until its signal fired */
async function cancelled(
  session: WireClient,
  events: ToolEvents,
  taskId: string,
  key: number,
): Promise<number> {
  const sentAt = process.hrtime.bigint();
  await session.result('tasks/cancel', { taskId });
  return Number((await events.at('stopped', key)) - sentAt) / 1e6;
}

function tell(name: string, times: readonly number[], limitMs: number): void {
  report(`${name}-p50`, percentile(times, 0.5), 'ms', limitMs);
  report(`${name}-p99`, percentile(times, 0.99), 'ms', limitMs);
}
