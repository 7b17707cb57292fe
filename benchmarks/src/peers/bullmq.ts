import { Queue, QueueEvents } from 'bullmq';
import { startChild } from '../child.ts';
import { addRaw } from '../finish/no-op-runs.ts';
import { type Engine, payload, ROUND_TRIP_TIMEOUT_MS, type Start } from './engine.ts';
import { within } from './part.ts';

/** Held back by pausing the queue. */
export const startBullMq: Start<Engine> = async (part, concurrency) => {
  const { redisUrl } = part.servers;
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  const queue = new Queue('raw', { connection, defaultJobOptions: { removeOnComplete: true } });
  part.atEnd(() => queue.close());
  const worker = await part.start(
    startChild('benchmarks/dist/finish/raw-worker.js', {
      REDIS_URL: redisUrl,
      WORKER_CONCURRENCY: String(concurrency),
    }),
  );
  return {
    pid: worker.pid,
    store: async (jobs) => {
      await queue.pause();
      await addRaw(queue, jobs);
    },
    finish: async (jobs) => {
      worker.send({ goal: jobs });
      const done = worker.next();
      await queue.resume();
      await within('BullMQ', done);
    },
    client: async () => {
      const events = new QueueEvents('raw', { connection });
      part.atEnd(() => events.close());
      await events.waitUntilReady();
      queue.setMaxListeners(0); // each wait has one of its own
      worker.send({ goal: Number.MAX_SAFE_INTEGER });
      // A wait for a job that was removed fails: the last ones are kept.
      const options = { removeOnComplete: { count: 1_000 } };
      return async () => {
        const job = await queue.add('task', payload(), options);
        await job.waitUntilFinished(events, ROUND_TRIP_TIMEOUT_MS);
      };
    },
  };
};
