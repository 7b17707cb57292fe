// Raw BullMQ: a worker that does nothing with its jobs, and says when it has done N of them.
import { Worker } from 'bullmq';
import { Redis } from 'ioredis';

const connection = new Redis(process.env['REDIS_URL'] ?? '', { maxRetriesPerRequest: null });
let done = 0;
let goal = Number.POSITIVE_INFINITY;
const worker = new Worker('raw', () => Promise.resolve(), {
  connection,
  autorun: false,
  concurrency: Number(process.env['WORKER_CONCURRENCY'] ?? '8'),
  removeOnComplete: { count: 0 },
});
worker.on('completed', () => {
  done += 1;
  if (done === goal) process.send?.({ done });
});
process.on('message', (message) => {
  if (typeof message !== 'object' || message === null || !('goal' in message)) return;
  done = 0;
  goal = Number(message.goal);
  if (!worker.isRunning()) void worker.run();
});
await worker.waitUntilReady();
process.send?.({ kind: 'ready' });
process.once('SIGTERM', () => process.exit(0));
