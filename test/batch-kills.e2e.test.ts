import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWithRedis, type Mode, waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import type { SpawnedProcess } from '@longshore/testing/processes';
import { Redis } from 'ioredis';
import { BatchRecords } from './support/batch-records.ts';
import { type Kill, planKills } from './support/kill-plan.ts';
import { RunLog } from './support/run-log.ts';
import { chooseSeed } from './support/seeded-random.ts';
import { type Stack, startStack } from './support/stack.ts';

const TOOLS = path.join(import.meta.dirname, 'fixtures', 'batch-tools.js');

/** Before a release: BATCH_ITEMS=100000 npm test -- --selectProjects e2e batch-kills */
const ITEMS = Number(process.env['BATCH_ITEMS'] ?? 5_000);
const SEED = chooseSeed('killing workers during a batch');

const WORKERS = 3;
/** Chunks that a worker runs at once, item after item. */
const PLACES = 4;
/** How long an item takes. */
const ITEM_MS = 15;
/** Outcomes wait so long to be saved (run-chunk.ts); a timer may fire a millisecond early. */
const SAVE_EVERY_MS = 100;
const UNSAVED = Math.ceil(SAVE_EVERY_MS / (ITEM_MS - 1)) + 1;

/** Far beyond what it takes; a batch that hangs is told from one that goes on slowly. */
const TIMEOUT_MS = 120_000 + ITEMS * ITEM_MS;

const isBad = (n: number): boolean => n % 10 === 7;

/** What was saved at one moment, and how many runs there had been by then. */
interface Moment {
  readonly saved: ReadonlySet<number>;
  readonly runs: number;
}

function kills(mode: Mode): void {
  let stack: Stack;
  let dir: string;
  let log: RunLog;
  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-kills-'));
    log = new RunLog(path.join(dir, 'runs'));
    stack = await startStack({
      mode,
      workers: WORKERS,
      environment: {
        PLUGINS: TOOLS,
        RUNS: log.file,
        WORKER_CONCURRENCY: String(PLACES),
        // Long enough that no worker loses its tasks for being slow: that would be another test.
        LEASE_MS: '3000',
        SHUTDOWN_GRACE_MS: '0',
        LOG_LEVEL: 'info',
      },
    });
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Whom the plan means, once they are there: others may just have been started again. */
  async function victimsOf({ who, pick }: Kill, records: BatchRecords): Promise<SpawnedProcess[]> {
    const holder = await records.holder();
    if (who === 'all') return [...stack.workers];
    const found = stack.workers.filter(({ pid }) => (pid === holder) === (who === 'holder'));
    return found.slice(pick % Math.max(1, found.length)).slice(0, 1);
  }

  /** Kills them in the same moment, and starts as many again without waiting for them. */
  async function kill(victims: readonly SpawnedProcess[]): Promise<Promise<unknown>[]> {
    for (const { signal } of victims) signal('SIGKILL');
    for (const victim of victims) stack.workers.splice(stack.workers.indexOf(victim), 1);
    await Promise.all(victims.map(({ exited }) => exited));
    return victims.map(() => {
      const started = stack.startWorker();
      started.catch(() => {});
      return started;
    });
  }

  it(
    `records each of ${ITEMS} items once and right, and runs again only what was not saved`,
    async () => {
      log.clear();
      const client = new ModernClient(stack.urls).withTasks({});
      await waitFor(
        async () => JSON.stringify(await client.result('tools/list')).includes('squares'),
        { what: 'the catalogue is there' },
      );
      const startedAt = performance.now();
      const taskId = await client.startTask('squares', { count: ITEMS, ms: ITEM_MS });
      const records = await BatchRecords.open(stack.environment['DATABASE_URL'] ?? '', taskId);
      const moments: Moment[] = [];
      const started: Promise<unknown>[] = [];
      try {
        for (const planned of planKills(SEED, ITEMS)) {
          const { afterRuns, who, emptiesRedis } = planned;
          await waitFor(() => log.read() >= afterRuns, {
            what: `${afterRuns} items have run`,
            timeoutMs: TIMEOUT_MS,
          });
          const victims = await waitFor(
            async () => {
              const found = await victimsOf(planned, records);
              return found.length > 0 && found;
            },
            { what: `there is somebody to kill: ${who}`, timeoutMs: TIMEOUT_MS },
          );
          const empties = emptiesRedis && mode === 'redis';
          if (empties) await emptyRedis(stack.environment['REDIS_URL'] ?? '');
          started.push(...(await kill(victims)));
          const saved = new Set((await records.items()).map(({ index }) => index));
          moments.push({ saved, runs: log.read() });
        }
        await Promise.all(started);
        const task = await waitFor(
          async () => {
            const found = await client.result('tasks/get', { taskId });
            return found['status'] === 'working' ? undefined : found;
          },
          { what: 'the batch has ended', timeoutMs: TIMEOUT_MS },
        );
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        const killed = started.length;
        const repeated = log.read() - ITEMS;
        process.stdout.write(
          `${mode}: ${ITEMS} items, ${killed} workers killed, ${repeated} repeated, ${seconds} s\n`,
        );

        const numbers = Array.from({ length: ITEMS }, (_, n) => n);
        const failed = numbers.filter(isBad).length;
        const sum = numbers.reduce((all, n) => all + (isBad(n) ? 0 : n * n), 0);
        expect(task).toMatchObject({
          status: 'completed',
          result: {
            structuredContent: { total: ITEMS, done: ITEMS - failed, failed, skipped: 0, sum },
          },
        });

        const items = (await records.items()).sort((one, other) => one.index - other.index);
        expect(items.map(({ index }) => index)).toEqual(numbers);
        const wrong = items.filter(({ index, value, error }) =>
          isBad(index) ? error !== 'ITEM_FAILED' : error !== null || value !== index * index,
        );
        expect(wrong).toEqual([]);

        const runsOf = numbers.map(() => 0);
        for (const n of log.runs) runsOf[n] = (runsOf[n] ?? 0) + 1;
        const attempts = await records.attempts();
        expect(numbers.filter((n) => runsOf[n] === 0)).toEqual([]);
        expect(numbers.filter((n) => (runsOf[n] ?? 0) > (attempts[n] ?? 0))).toEqual([]);
        const again = moments.flatMap(({ saved, runs }) =>
          log.runs.slice(runs).filter((n) => saved.has(n)),
        );
        expect(again).toEqual([]);
        expect(repeated).toBeLessThanOrEqual(killed * PLACES * UNSAVED);
      } finally {
        await records.close();
      }
    },
    3 * TIMEOUT_MS,
  );
}

/** The server is shared with other test files: its number is all that this system has of it. */
async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url);
  try {
    await redis.flushdb();
  } finally {
    redis.disconnect();
  }
}

describe('workers killed at random with Postgres as the queue', () => kills('postgres'));
describeWithRedis('workers killed at random with Redis as the queue', () => kills('redis'));
