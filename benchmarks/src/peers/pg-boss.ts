import { randomUUID } from 'node:crypto';
import pg from 'pg';
import PgBoss from 'pg-boss';
import { startChild } from '../child.ts';
import { untilTrue } from '../finish/no-op-runs.ts';
import { note } from '../report.ts';
import { type Engine, endSignals, payload, type Start } from './engine.ts';
import { within } from './part.ts';

const QUEUE = 'noop';
const CHUNK = 5_000;

/** What is through for its worker is completed a moment later: of a single job the client learns the first. */
export const startPgBoss: Start<Engine> = async (part, concurrency) => {
  const { databaseUrl } = part.servers;
  const boss = new PgBoss({ connectionString: databaseUrl, supervise: false, schedule: false });
  boss.on('error', (error) => note(`pg-boss: ${error.message}`));
  await boss.start();
  part.atEnd(() => boss.stop({ graceful: false }));
  await boss.createQueue(QUEUE);
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  part.atEnd(() => pool.end());
  const worker = await part.start(
    startChild('benchmarks/dist/peers/pg-boss-process.js', {
      DATABASE_URL: databaseUrl,
      WORKER_CONCURRENCY: String(concurrency),
    }),
  );
  return {
    pid: worker.pid,
    store: async (jobs) => {
      await boss.clearStorage();
      for (let stored = 0; stored < jobs; stored += CHUNK) {
        const length = Math.min(CHUNK, jobs - stored);
        await boss.insert(Array.from({ length }, () => ({ name: QUEUE, data: payload() })));
      }
      await pool.query('VACUUM ANALYZE pgboss.job');
    },
    finish: async (jobs) => {
      worker.send({ goal: jobs });
      await within('pg-boss', worker.next());
      await untilTrue(pool, "NOT EXISTS (SELECT 1 FROM pgboss.job WHERE state < 'completed')");
    },
    client: async () => {
      const ended = endSignals(worker);
      return async () => {
        const id = randomUUID();
        await Promise.all([ended(id), boss.send(QUEUE, payload(id))]);
      };
    },
  };
};
