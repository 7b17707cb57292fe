import { randomUUID } from 'node:crypto';
import { type BatchId, type ItemPlace, silentLogger, type TaskId } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import pg from 'pg';
import { newOwner, newTask } from '../new-task.ts';
import { median, note, report } from '../report.ts';
import { startServers } from '../servers.ts';

/** Of each batch. The first is what the others are compared with. */
const SIZES = [1_000, 100_000, 1_000_000];
const CHUNK = 5;
const READS = 200;
/** Failures that each page has. */
const LEAST = 35;
const ROUNDS = 3;

/** Some forty failures: the small batch as well has as many behind each place. */
const PAGE = { bytes: 6_200, overheadBytes: 80 };

const OWNER = newOwner();

interface Batch {
  readonly taskId: TaskId;
  readonly id: BatchId;
  readonly chunks: number;
}

/**
 * Milliseconds to read a page of failed items, of which every tenth item is one, from places all over batches of
 * different sizes in one database; interleaved rounds.
 */
export async function items(): Promise<void> {
  const servers = await startServers();
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  const client = new pg.Client({ connectionString: servers.databaseUrl });
  await client.connect();
  try {
    const batches: Batch[] = [];
    for (const size of SIZES) {
      note(`storing ${size} items`);
      batches.push(await stored(database, client, size));
    }
    await client.query('VACUUM ANALYZE');
    const times = batches.map((): number[] => []);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, batch] of batches.entries()) {
        const ms = await pageMs(database, batch);
        // The first round warms up.
        if (round > 0) times[index]?.push(ms);
      }
    }
    note(`medians of ${ROUNDS} interleaved rounds of ${READS} pages`);
    const [least = []] = times;
    for (const [index, size] of SIZES.entries()) {
      report(`items/page-of-failures-of-${size}`, median(times[index] ?? []), 'ms', median(least));
    }
  } finally {
    await client.end();
    await database.close();
    await servers.stop();
  }
}

/** Time of a page, which begins at another place each time. */
async function pageMs(database: Database, { taskId, id, chunks }: Batch): Promise<number> {
  const startedAt = performance.now();
  for (let read = 0; read < READS; read += 1) {
    const from: ItemPlace = { position: (read * 7_919) % Math.ceil(chunks / 4), offset: 0 };
    const page = await database.itemRecords.items(
      taskId,
      OWNER.principalId,
      id,
      'failed',
      from,
      PAGE,
    );
    if (page === null || page.items.length < LEAST) throw new Error('a page is not full');
  }
  return (performance.now() - startedAt) / READS;
}

async function stored(database: Database, client: pg.Client, size: number): Promise<Batch> {
  const task = newTask(OWNER, 'batch', {});
  await database.taskStore.accept(task);
  const id = randomUUID() as string as BatchId;
  const chunks = size / CHUNK;
  await client.query(
    `INSERT INTO batches (id, task_id, key, chunks, items, sealed) VALUES ($1, $2, 'items', $3, $4, true)`,
    [id, task.id, chunks, size],
  );
  await client.query(
    `INSERT INTO batch_chunks (batch_id, position, first_item, size, items, outcomes, done, failed)
     SELECT $1, n, n * $3::int, $3, to_json(array_fill('an item'::text, ARRAY[$3::int])),
       ARRAY[(SELECT json_agg(CASE WHEN n % 2 = 0 AND o = 0
         THEN json_build_array(o, 1, NULL, json_build_object('code', 'ITEM_FAILED', 'message', repeat('why ', 8)))
         ELSE json_build_array(o, 1, o) END) FROM generate_series(0, $3::int - 1) AS o)],
       $3 - (n % 2 = 0)::int, (n % 2 = 0)::int
     FROM generate_series(0, $2::int - 1) AS n`,
    [id, chunks, CHUNK],
  );
  return { taskId: task.id, id, chunks };
}
