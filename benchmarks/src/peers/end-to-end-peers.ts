import path from 'node:path';
import { migrate } from '@longshore/database/migrator';
import pg from 'pg';
import { startChild } from '../child.ts';
import { median, note, report, size } from '../report.ts';
import { startBullMq } from './bullmq.ts';
import type { Engine, RoundTrip, Start } from './engine.ts';
import { startFastMcp } from './fastmcp-docket.ts';
import { startGraphileWorker } from './graphile-worker.ts';
import { legacyTasks, modernTasks } from './mcp-tasks.ts';
import type { Part } from './part.ts';
import { startPgBoss } from './pg-boss.ts';

const TASKS = size(2_000, 500, 64);
const ROUNDS = size(3, 3, 1);
const AT_ONCE = 64;
/** No more is submitted in a round that takes longer. */
const ROUND_MS = 60_000;

interface Party {
  readonly name: string;
  /** Which of ours does the same work with the same servers; null: it is ours. */
  readonly own: string | null;
  readonly use: (run: (roundTrip: RoundTrip) => Promise<Round>) => Promise<Round>;
}

interface Round {
  readonly perSecond: number;
  /** Answers that were errors, and tasks of which no result came. */
  readonly errors: number;
  readonly lost: number;
}

/**
 * Tasks per second from their submission until the client knows the result, 64 at once, one API and one worker with
 * places for as many. The queues without MCP are called as libraries: BullMQ tells with its own events; graphile-worker
 * and pg-boss have no such signal, so that their workers tell over IPC.
 */
export async function endToEndPeers(part: Part): Promise<void> {
  const parties = await startParties(part);
  const rounds = new Map(parties.map(({ name }) => [name, [] as Round[]]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, use } of parties) {
      const measured = await use((roundTrip) => run(name, roundTrip));
      if (round > 0) rounds.get(name)?.push(measured); // round 0 warms up
    }
  }
  note(`peers/end-to-end: medians of ${ROUNDS} interleaved rounds of ${TASKS} tasks`);
  const rates = (name: string): number[] =>
    (rounds.get(name) ?? []).map(({ perSecond }) => perSecond);
  for (const { name, own } of parties) {
    report(`peers/end-to-end/${name}`, rates(name), 'tasks/s');
    for (const failure of ['errors', 'lost'] as const) {
      const count = (rounds.get(name) ?? []).reduce((sum, round) => sum + round[failure], 0);
      if (count > 0) report(`peers/end-to-end/${name}-${failure}`, count, failure);
    }
    if (own === null) continue;
    report(`peers/end-to-end/${own}-to-${name}`, rates(own), 'tasks/s', median(rates(name)));
  }
}

async function run(name: string, roundTrip: RoundTrip): Promise<Round> {
  let submitted = 0;
  let done = 0;
  let errors = 0;
  let lost = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (submitted < TASKS && performance.now() - startedAt < ROUND_MS) {
      submitted += 1;
      try {
        await roundTrip(() => {
          errors += 1;
        });
        done += 1;
      } catch (error) {
        if (lost === 0) note(`${name}: ${String(error)}`);
        lost += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
  return { perSecond: (done * 1_000) / (performance.now() - startedAt), errors, lost };
}

async function startParties(part: Part): Promise<Party[]> {
  const { databaseUrl, redisUrl } = part.servers;
  const url = await startLongshore(part, { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl });
  const onPostgres = await startLongshore(part, {
    DATABASE_URL: await secondDatabase(databaseUrl),
  });
  const sdk = await part.start(startChild('benchmarks/dist/peers/sdk-tasks-server.js', {}));
  const party = (name: string, own: string | null, roundTrip: RoundTrip): Party => ({
    name,
    own,
    use: (measure) => measure(roundTrip),
  });
  const engine = async (start: Start<Engine>): Promise<RoundTrip> =>
    (await start(part, AT_ONCE)).client();
  const parties = [
    party('longshore-2025', null, await legacyTasks(url)),
    party('longshore-2026', null, modernTasks(url)),
    party('longshore-2025-postgres', null, await legacyTasks(onPostgres)),
    party('sdk-tasks', 'longshore-2025', await legacyTasks(String(sdk.ready['url']))),
    party('bullmq', 'longshore-2025', await engine(startBullMq)),
    party('graphile-worker', 'longshore-2025-postgres', await engine(startGraphileWorker)),
    party('pg-boss', 'longshore-2025-postgres', await engine(startPgBoss)),
  ];
  const fastMcp: Party['use'] = async (measure) => {
    const server = await startFastMcp(redisUrl);
    try {
      await measure(modernTasks(server.url)); // warms up: it is new each time
      return await measure(modernTasks(server.url));
    } finally {
      await server.stop();
    }
  };
  return part.withPython
    ? [...parties, { name: 'fastmcp-docket', own: 'longshore-2026', use: fastMcp }]
    : parties;
}

/** One API and one worker. @returns where the API listens */
async function startLongshore(part: Part, environment: Record<string, string>): Promise<string> {
  await part.start(
    startChild('apps/worker/dist/main.js', {
      ...environment,
      WORKER_CONCURRENCY: String(AT_ONCE),
      PLUGINS: path.join(import.meta.dirname, '../finish/noop-plugin.js'),
      BUNDLED_PLUGINS: 'false',
    }),
  );
  const api = await part.start(
    startChild('apps/api/dist/main.js', {
      ...environment,
      PORT: '0',
      RATE_LIMIT_PER_MINUTE: '1000000000',
      MAX_QUEUED_TASKS: '10000000',
    }),
  );
  return String(api.ready['url']);
}

/** Two ways of queueing do not share their tasks. @returns its URL, on the same Postgres */
async function secondDatabase(databaseUrl: string): Promise<string> {
  const first = new pg.Client({ connectionString: databaseUrl });
  await first.connect();
  try {
    await first.query('CREATE DATABASE without_redis');
  } finally {
    await first.end();
  }
  const url = new URL(databaseUrl);
  url.pathname = '/without_redis';
  await migrate({ url: url.href });
  return url.href;
}
