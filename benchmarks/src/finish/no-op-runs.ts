import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { JobQueue, TaskId } from '@longshore/core';
import type { Database } from '@longshore/database';
import type { Queue } from 'bullmq';
import type pg from 'pg';
import { newTask } from '../new-task.ts';
import { processUsage } from '../process-usage.ts';
import type { Servers } from '../servers.ts';

const CHUNK = 500;

/** The rate of a run and what it cost. */
export interface Timed {
  readonly perSecond: number;
  /** Of the processes that did the work, and of the servers, in microseconds per task. */
  readonly cpuUs: number;
  readonly postgresUs: number;
  readonly redisUs: number;
}

export async function timed(
  servers: Servers,
  processes: readonly { readonly pid: number }[],
  tasks: number,
  run: () => Promise<void>,
): Promise<Timed> {
  const cpuMs = (): number => processes.reduce((sum, { pid }) => sum + processUsage(pid).cpuMs, 0);
  const before = { cpuMs: cpuMs(), ...servers.usage() };
  const startedAt = performance.now();
  await run();
  const ms = performance.now() - startedAt;
  const after = { cpuMs: cpuMs(), ...servers.usage() };
  return {
    perSecond: (tasks * 1_000) / ms,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / tasks,
    postgresUs: ((after.postgres.cpuMs - before.postgres.cpuMs) * 1_000) / tasks,
    redisUs: ((after.redis.cpuMs - before.redis.cpuMs) * 1_000) / tasks,
  };
}

/** Jobs that say nothing, into a queue of BullMQ's own. */
export async function addRaw(queue: Queue, count: number): Promise<void> {
  for (let added = 0; added < count; added += CHUNK) {
    await queue.addBulk(
      Array.from({ length: CHUNK }, () => ({
        name: 'task',
        data: {},
        opts: { jobId: randomUUID() },
      })),
    );
  }
}

export async function addJobs(
  jobs: JobQueue,
  queue: string,
  ids: readonly TaskId[],
): Promise<void> {
  for (let added = 0; added < ids.length; added += CHUNK) {
    await jobs.add(queue, ids.slice(added, added + CHUNK));
  }
}

/** Whatever takes longer will not end. */
const GIVE_UP_MS = 300_000;

/** Resolves when a query of a boolean says yes, asked every 20 ms. @throws {Error} when it never does */
export async function untilTrue(pool: pg.Pool, query: string): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  for (;;) {
    const { rows } = await pool.query<{ answer: boolean }>(`SELECT (${query}) AS answer`);
    if (rows[0]?.answer === true) return;
    if (Date.now() > giveUpAt) throw new Error(`not within ${GIVE_UP_MS} ms: ${query}`);
    await delay(20);
  }
}

/** For `untilTrue`. */
export const ALL_FINISHED = 'NOT EXISTS (SELECT 1 FROM tasks WHERE finished_at IS NULL)';

export async function forgetTasks(pool: pg.Pool): Promise<void> {
  await pool.query('TRUNCATE tasks, task_results, task_events CASCADE');
}

/** Rows that say their job was added, so that neither relay nor sweeper takes part. */
export async function acceptTasks(
  database: Database,
  pool: pg.Pool,
  count: number,
): Promise<TaskId[]> {
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
