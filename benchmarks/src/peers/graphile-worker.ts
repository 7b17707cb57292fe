import { randomUUID } from 'node:crypto';
import { Logger, makeWorkerUtils } from 'graphile-worker';
import pg from 'pg';
import { startChild } from '../child.ts';
import { untilTrue } from '../finish/no-op-runs.ts';
import { type Engine, endSignals, payload, type Start } from './engine.ts';
import { within } from './part.ts';

/** Its jobs become visible together, in one commit: a worker that listens can not be held back. */
export const startGraphileWorker: Start<Engine> = async (part, concurrency) => {
  const { databaseUrl } = part.servers;
  const utils = await makeWorkerUtils({
    connectionString: databaseUrl,
    logger: new Logger(() => () => undefined),
  });
  part.atEnd(() => Promise.resolve(utils.release()));
  await utils.migrate();
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  part.atEnd(() => pool.end());
  const worker = await part.start(
    startChild('benchmarks/dist/peers/graphile-worker-process.js', {
      DATABASE_URL: databaseUrl,
      WORKER_CONCURRENCY: String(concurrency),
    }),
  );
  let done: Promise<unknown> = Promise.resolve();
  return {
    pid: worker.pid,
    store: async (jobs) => {
      await pool.query('VACUUM ANALYZE graphile_worker._private_jobs');
      worker.send({ goal: jobs });
      done = within('graphile-worker', worker.next());
      done.catch(() => undefined); // its failure is that of `finish`
      await utils.addJobs(
        Array.from({ length: jobs }, () => ({ identifier: 'noop', payload: payload() })),
      );
    },
    finish: async () => {
      await done;
      await untilTrue(pool, 'NOT EXISTS (SELECT 1 FROM graphile_worker._private_jobs)');
    },
    client: async () => {
      const ended = endSignals(worker);
      return async () => {
        const id = randomUUID();
        await Promise.all([ended(id), utils.addJob('noop', payload(id))]);
      };
    },
  };
};
