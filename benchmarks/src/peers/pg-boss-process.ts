// pg-boss as fast as it goes: four workers with batches, each asking again at once while batches are full, else twice a second.
import PgBoss from 'pg-boss';
import { WorkerMessages } from './worker-messages.ts';

const WORKERS = 4;
const QUEUE = 'noop';
/** 500 was no faster than 64. */
const batchSize = Number(process.env['WORKER_CONCURRENCY']);

const boss = new PgBoss({
  connectionString: process.env['DATABASE_URL'] ?? '',
  supervise: false,
  schedule: false,
});
boss.on('error', (error) => process.stderr.write(`pg-boss: ${error.message}\n`));
await boss.start();
// They start with an order, when its jobs are stored, and stop when it is carried out.
const messages = new WorkerMessages(async () => {
  await Promise.all(Array.from({ length: WORKERS }, startWorker));
});

async function startWorker(): Promise<string> {
  const id: string = await boss.work<{ id: string }>(
    QUEUE,
    { batchSize, pollingIntervalSeconds: 0.5, priority: false },
    (jobs) => {
      if (jobs.length === batchSize) boss.notifyWorker(id);
      for (const { data } of jobs) {
        if (messages.ran(data.id)) void boss.offWork(QUEUE);
      }
      return Promise.resolve();
    },
  );
  return id;
}

process.send?.({ kind: 'ready' });
process.once('SIGTERM', () => process.exit(0));
