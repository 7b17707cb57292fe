import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { openMessaging } from '@longshore/queue';
import pg from 'pg';
import { startChild } from '../child.ts';
import { newOwner, newTask } from '../new-task.ts';
import { median, note, report } from '../report.ts';
import { startServers } from '../servers.ts';

const ITEMS = Number(process.env['MAP_ITEMS'] ?? 1_000_000);
const ROUNDS = 3;
/** How much of the batch is stored when its worker is killed. */
const KILLED_AT = 0.8;
const PROMISED_MS = 2_000;
const TIMEOUT_MS = 300_000;

/**
 * From the claim of the attempt that takes over a batch, whose only worker was killed with SIGKILL, until an item
 * runs that had not been stored before: by then the batch is read, its source has passed over what is stored,
 * and the first new chunk is stored, claimed and begun.
 */
export async function mapResume(): Promise<void> {
  const servers = await startServers();
  const { databaseUrl, redisUrl } = servers;
  const directory = mkdtempSync(path.join(tmpdir(), 'longshore-resume-'));
  const database = openDatabase({ url: databaseUrl, log: silentLogger });
  const messaging = openMessaging({ redisUrl, databaseUrl, log: silentLogger });
  await messaging.jobs.start();
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const environment = {
    DATABASE_URL: databaseUrl,
    REDIS_URL: redisUrl,
    WORKER_CONCURRENCY: '16',
    LEASE_MS: '2000',
    PLUGINS: path.join(import.meta.dirname, 'map-plugin.js'),
    BUNDLED_PLUGINS: 'false',
  };
  const number = async (sql: string, id: string): Promise<number | null> => {
    const { rows } = await client.query<{ number: number }>(sql, [id]);
    return rows[0]?.number ?? null;
  };
  const times: number[] = [];
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const mark = path.join(directory, `mark-${round}`);
      const task = newTask(newOwner(), 'map', { items: ITEMS });
      const stored = (): Promise<number | null> =>
        number('SELECT items::float8 AS number FROM batches WHERE task_id = $1', task.id);
      const first = await startChild('apps/worker/dist/main.js', environment);
      await database.taskStore.accept(task);
      await messaging.jobs.add(task.queue, [task.id]);
      await until(async () => ((await stored()) ?? 0) >= ITEMS * KILLED_AT);
      process.kill(first.pid, 'SIGKILL');
      const firstNew = (await stored()) ?? ITEMS;
      if (firstNew >= ITEMS) throw new Error('the batch was stored whole before the kill');
      const second = await startChild('apps/worker/dist/main.js', {
        ...environment,
        BENCH_FIRST_NEW: String(firstNew),
        BENCH_MARK: mark,
      });
      try {
        await until(() => existsSync(mark));
        const claimedAt = await number(
          `SELECT (extract(epoch FROM min(created_at)) * 1000)::float8 AS number FROM task_events
           WHERE task_id = $1 AND kind = 'started' AND attempt = 2`,
          task.id,
        );
        const ms = Number(readFileSync(mark, 'utf8')) - (claimedAt ?? Number.NaN);
        note(`killed with ${firstNew} of ${ITEMS} items stored; resumed in ${Math.round(ms)} ms`);
        times.push(ms);
      } finally {
        await second.stop();
      }
      await database.taskStore.cancel(task.id, task.principalId);
    }
    report('map/resume', median(times), 'ms', PROMISED_MS);
  } finally {
    await client.end();
    await messaging.jobs.stop();
    await database.close();
    await servers.stop();
    rmSync(directory, { recursive: true });
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + TIMEOUT_MS;
  while (!(await condition())) {
    if (performance.now() > giveUpAt)
      throw new Error('it takes too long: see the logs of the worker');
    await delay(5);
  }
}
