import { randomUUID } from 'node:crypto';
import { type PrincipalId, silentLogger, type TaskId, type WorkerId } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { migrate } from '@longshore/database/migrator';
import pg from 'pg';
import { newOwner, newTask } from '../new-task.ts';
import { median, note, report, size } from '../report.ts';
import { startServers } from '../servers.ts';
import { seed } from './seed.ts';

/** Of the databases. The first is what the others are compared with; the environment may ask for one more. */
const SIZES = [1_000, size(1_000_000, 100_000, 2_000), Number(process.env['STORED_ROWS'] ?? 0)];
const ROUNDS = size(5, 3, 1);
/** Of each kind and round. */
const READS = size(500, 200, 50);
const WRITES = size(1_000, 500, 100);
const WRITES_AT_ONCE = 50;
const EXPIRED = 1_000;
const PAGE = 50;
const LEASE_MS = 3_600_000;

/** Milliseconds of each, in the order of a task's life. `retention` is for all EXPIRED together. */
const OPERATIONS = ['accept', 'claim', 'finish', 'get', 'list', 'retention'] as const;
type Operation = (typeof OPERATIONS)[number];

interface Stored {
  readonly rows: number;
  readonly database: Database;
  readonly client: pg.Client;
  readonly times: Record<Operation, number[]>;
}

/**
 * What tasks cost in databases that hold few and many, of which all but those of the moment have ended: milliseconds
 * per call of the stores that API and worker use, in interleaved rounds.
 */
export async function stored(): Promise<void> {
  const servers = await startServers();
  const all: Stored[] = [];
  try {
    for (const rows of SIZES.filter((one) => one > 0)) {
      all.push(await openStored(servers.databaseUrl, rows));
    }
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { database, client, times } of all) {
        const measured = await measure(database, client);
        if (round === 0) continue; // warms up
        for (const operation of OPERATIONS) times[operation].push(measured[operation]);
      }
    }
    const [least] = all;
    note(`stored: medians of ${ROUNDS} interleaved rounds; retention is of ${EXPIRED} tasks`);
    for (const { rows, times } of all) {
      for (const operation of OPERATIONS) {
        const limit = rows === least?.rows ? null : median(least?.times[operation] ?? []);
        report(`stored/${rows}/${operation}`, times[operation], 'ms', limit);
      }
    }
  } finally {
    for (const { database, client } of all) {
      await client.end();
      await database.close();
    }
    await servers.stop();
  }
}

async function openStored(serverUrl: string, rows: number): Promise<Stored> {
  const name = `stored_${rows}`;
  const server = new pg.Client({ connectionString: serverUrl });
  await server.connect();
  await server.query(`CREATE DATABASE ${name}`);
  await server.end();
  const url = new URL(serverUrl);
  url.pathname = name;
  await migrate({ url: url.href });
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  note(`storing ${rows} tasks`);
  const startedAt = performance.now();
  await seed(client, rows, 'kept');
  await client.query('VACUUM ANALYZE');
  await client.query('CHECKPOINT');
  note(`stored in ${((performance.now() - startedAt) / 1_000).toFixed()} s`);
  return {
    rows,
    database: openDatabase({ url: url.href, log: silentLogger }),
    client,
    times: { accept: [], claim: [], finish: [], get: [], list: [], retention: [] },
  };
}

async function measure(database: Database, client: pg.Client): Promise<Record<Operation, number>> {
  const { taskStore, attemptStore, maintenanceStore } = database;
  const owners = await someTasks(client);
  const owner = newOwner();
  const tasks = Array.from({ length: WRITES }, () => newTask(owner, 'noop', { n: 5 }));
  const worker = randomUUID() as string as WorkerId;
  const times = {
    accept: await each(tasks, WRITES_AT_ONCE, async (task) => {
      await taskStore.accept(task);
    }),
    claim: await each(tasks, WRITES_AT_ONCE, async ({ id }) => {
      const { kind } = await attemptStore.claim(id, worker, LEASE_MS);
      if (kind !== 'claimed') throw new Error(`a claim is ${kind}`);
    }),
    finish: await each(tasks, WRITES_AT_ONCE, async ({ id }) => {
      const isMine = await attemptStore.finish({
        taskId: id,
        attempt: 1,
        workerId: worker,
        outcome: { kind: 'result', isError: false, result: { content: [] } },
        progress: null,
        toolVersion: null,
        statusMessage: null,
      });
      if (!isMine) throw new Error('a task was not ours to end');
    }),
    get: await each(owners, 1, async ({ id, principalId }) => {
      if ((await taskStore.find(id, principalId)) === null) throw new Error('a task is missing');
    }),
    list: await each(owners, 1, async ({ principalId }) => {
      const page = await taskStore.list(principalId, PAGE, null);
      if (page.length < PAGE) throw new Error('a page is not full');
    }),
  };
  await seed(client, EXPIRED, 'expired');
  const startedAt = performance.now();
  const { deleted } = await maintenanceStore.deleteExpired(EXPIRED);
  if (deleted !== EXPIRED) throw new Error(`${deleted} tasks were deleted`);
  return { ...times, retention: performance.now() - startedAt };
}

/** @returns milliseconds per call, `atOnce` of which are made together */
async function each<T>(
  all: readonly T[],
  atOnce: number,
  call: (one: T) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now();
  for (let done = 0; done < all.length; done += atOnce) {
    await Promise.all(all.slice(done, done + atOnce).map(call));
  }
  return (performance.now() - startedAt) / all.length;
}

/** Seeded tasks from all over the table. */
async function someTasks(
  client: pg.Client,
): Promise<readonly { id: TaskId; principalId: PrincipalId }[]> {
  const { rows } = await client.query<{ id: TaskId; principalId: PrincipalId }>(
    `SELECT id, principal_id AS "principalId" FROM tasks WHERE tool_name = 'seeded' ORDER BY random() LIMIT $1`,
    [READS],
  );
  return rows;
}
