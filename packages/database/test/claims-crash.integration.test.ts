import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '@longshore/embedded';
import pg from 'pg';
import { openDatabase } from '../src/index.ts';
import { migrate } from '../src/migrator/index.ts';
import { claimTask, fenceOf, finishOf, newTask, newWorkerId } from './fixtures/task-factory.ts';

/** Nothing but a commit that waits for its flush may flush: what is not flushed is to be lost for certain. */
const ONLY_COMMITS_FLUSH = { autovacuum: 'off', bgwriter_lru_maxpages: '0' };

const [here, elsewhere] = [newWorkerId(), newWorkerId()];
let directory: string;
let server: EmbeddedPostgres;

const start = (dir: string) =>
  startEmbeddedPostgres({ dir: path.join(directory, dir), settings: ONLY_COMMITS_FLUSH });

beforeAll(async () => {
  directory = mkdtempSync(path.join(tmpdir(), 'longshore-crash-'));
  server = await start('first');
  await migrate({ url: server.url });
}, 60_000);

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

/**
 * Postgres stops at once, as in a crash; its data is also left as it was on disk at that moment, in `replica`.
 *
 * @param writer the WAL writer, which stands still; it ends without another step
 */
function crash(writer: number): void {
  const [first, replica] = [path.join(directory, 'first'), path.join(directory, 'replica')];
  execFileSync('cp', ['-a', first, replica]);
  rmSync(path.join(replica, 'pg/postmaster.pid'));
  process.kill(server.pid, 'SIGQUIT');
  process.kill(writer, 'SIGQUIT');
  process.kill(writer, 'SIGCONT');
}

/** The process that flushes what no commit waits for. While it stands still, nothing does. */
async function walWriter(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'`,
  );
  return rows[0]?.pid ?? 0;
}

it('loses a claim in a crash of Postgres before it was flushed, and lets nobody write with its number but who has it', async () => {
  const before = openDatabase({ url: server.url, log: silentLogger });
  const client = new pg.Client(server.url);
  client.on('error', () => {});
  await client.connect();
  const [lost, kept] = [newTask(), newTask()];
  for (const task of [lost, kept]) await before.taskStore.accept(task);
  await claimTask(before, kept.id, here);
  expect(await before.attemptStore.setCheckpoint(fenceOf(kept.id, 1), 'at', 7)).toBe(true);
  const writer = await walWriter(client);
  process.kill(writer, 'SIGSTOP');
  expect(await claimTask(before, lost.id, here)).toMatchObject({
    kind: 'claimed',
    claim: { attempt: 1, workerId: here },
  });
  const [mine, end] = [fenceOf(lost.id, 1), finishOf(lost.id, 1)];
  crash(writer);
  await Promise.allSettled([client.end(), before.close()]);

  for (const dir of ['replica', 'first']) {
    const restarted = await start(dir);
    const after = openDatabase({ url: restarted.url, log: silentLogger });
    const { attemptStore: attempts } = after;
    expect(await attempts.finish(end)).toBe(false);
    expect(await claimTask(after, lost.id, elsewhere)).toMatchObject({
      kind: 'claimed',
      claim: { attempt: 1, workerId: elsewhere },
    });
    expect(await attempts.setCheckpoint(mine, 'at', 'late')).toBe(false);
    expect(await attempts.appendLogs(mine, [{ level: 'info', logger: null, data: 'late' }])).toBe(
      false,
    );
    expect(await attempts.retry({ ...mine, error: 'late', retryInMs: 0 })).toBe(false);
    expect(await attempts.release(mine)).toBe(false);
    expect(await attempts.finish(end)).toBe(false);
    expect(await attempts.finish(finishOf(lost.id, 1))).toBe(true);
    // What has written something has its claim.
    expect(await attempts.getCheckpoint(kept.id, 'at')).toBe(7);
    expect(await attempts.finish(finishOf(kept.id, 1))).toBe(true);
    await after.close();
    if (dir === 'first') server = restarted;
    else await restarted.stop();
  }
}, 60_000);
