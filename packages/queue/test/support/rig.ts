import { randomUUID } from 'node:crypto';
import { type Logger, silentLogger, type TaskId } from '@longshore/core';
import { createTestDatabase, createTestRedis } from '@longshore/testing/servers';
import { Redis } from 'ioredis';
import pg from 'pg';
import { busChannel } from '../../src/connections/keys.ts';
import { type Messaging, type MessagingOptions, openMessaging } from '../../src/open-messaging.ts';

/** Where the servers of a test are, as `openMessaging` takes it. */
export interface Servers {
  readonly redisUrl: string | null;
  readonly databaseUrl: string;
}

/** One backend under test, with the back doors the tests need. */
export interface Rig {
  readonly servers: Servers;
  readonly prefix: string;
  /** A process of its own, as far as messaging goes; stopped by `drop`. */
  open(log?: Logger): Messaging;
  /** Sends any text to a topic, past the bus. */
  sendRaw(topic: string, payload: string): Promise<void>;
  /** Breaks the connections the buses listen with. */
  breakListeners(): Promise<void>;
  /** The fields of a waiting job as the server holds them. */
  storedJob(queue: string, jobId: string): Promise<Record<string, string>>;
  /** Loses all jobs, as FLUSHALL does. */
  forgetJobs(): Promise<void>;
  drop(): Promise<void>;
}

/** @param servers other addresses of the same servers, such as those of a proxy */
export function openAt(
  servers: Servers,
  prefix: string,
  options: Partial<MessagingOptions> = {},
): Messaging {
  return openMessaging({ ...servers, prefix, log: silentLogger, ...options });
}

export async function redisRig(): Promise<Rig> {
  const database = await createTestRedis();
  const redis = new Redis(database.url);
  // Postgres must not be touched, so there is none.
  const servers = { redisUrl: database.url, databaseUrl: 'postgresql://127.0.0.1:1/none' };
  const prefix = newPrefix();
  const opened: Messaging[] = [];
  return {
    servers,
    prefix,
    open: (log = silentLogger) => remember(opened, openAt(servers, prefix, { log })),
    sendRaw: async (topic, payload) => {
      await redis.publish(busChannel(prefix, topic), payload);
    },
    breakListeners: async () => {
      const clients = String(await redis.client('LIST')).split('\n');
      const ids = clients
        .filter((client) => client.includes(`name=${prefix}-subscriber`))
        .map((client) => /^id=(\d+)/.exec(client)?.[1] ?? '');
      await Promise.all(ids.map((id) => redis.client('KILL', 'ID', id)));
    },
    forgetJobs: async () => {
      await redis.flushdb();
    },
    storedJob: (queue, jobId) => redis.hgetall(`${prefix}:${prefix}-${queue}:${jobId}`),
    drop: async () => {
      await stopAll(opened);
      redis.disconnect();
      await database.drop();
    },
  };
}

export async function postgresRig(): Promise<Rig> {
  const database = await createTestDatabase();
  const pool = new pg.Pool({ connectionString: database.url, max: 1 });
  pool.on('error', () => {});
  const servers = { redisUrl: null, databaseUrl: database.url };
  const prefix = newPrefix();
  const opened: Messaging[] = [];
  return {
    servers,
    prefix,
    open: (log = silentLogger) => remember(opened, openAt(servers, prefix, { log })),
    sendRaw: async (topic, payload) => {
      await pool.query('SELECT pg_notify($1, $2)', [busChannel(prefix, topic), payload]);
    },
    breakListeners: async () => {
      await pool.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1',
        [`${prefix}-subscriber`],
      );
    },
    forgetJobs: async () => {
      await pool.query('TRUNCATE bullmq.job, bullmq.scheduler CASCADE');
    },
    storedJob: async (queue, jobId) => {
      const { rows } = await pool.query<Record<string, string>>(
        'SELECT name, data::text FROM bullmq.job WHERE queue = $1 AND id = $2',
        [`${prefix}-${queue}`, jobId],
      );
      return { ...rows[0] };
    },
    drop: async () => {
      await stopAll(opened);
      await pool.end();
      await database.drop();
    },
  };
}

export function newTaskId(): TaskId {
  const id: string = randomUUID();
  return id as TaskId;
}

export function newTaskIds(count: number): TaskId[] {
  return Array.from({ length: count }, newTaskId);
}

/** Redis channels are the same for all database numbers, so each test has names of its own. */
function newPrefix(): string {
  return `t${randomUUID().slice(0, 8)}`;
}

function remember(opened: Messaging[], messaging: Messaging): Messaging {
  opened.push(messaging);
  return messaging;
}

async function stopAll(opened: readonly Messaging[]): Promise<void> {
  await Promise.all(opened.flatMap(({ jobs, bus }) => [jobs.stop(), bus.stop()]));
}
