// graphile-worker as fast as it goes: 500 jobs fetched at a time, completed in batches, no log.
import { EventEmitter } from 'node:events';
import { Logger, run, type WorkerEvents } from 'graphile-worker';
import { WorkerMessages } from './worker-messages.ts';

const messages = new WorkerMessages();
const events: WorkerEvents = new EventEmitter();
events.on('job:complete', ({ job }) => messages.ran(Object(job.payload).id));
await run({
  connectionString: process.env['DATABASE_URL'] ?? '',
  taskList: { noop: () => undefined },
  parsedCronItems: [],
  noHandleSignals: true,
  logger: new Logger(() => () => undefined),
  events,
  preset: {
    worker: {
      concurrentJobs: Number(process.env['WORKER_CONCURRENCY']),
      maxPoolSize: 10,
      localQueue: { size: 500 },
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});
process.send?.({ kind: 'ready' });
process.once('SIGTERM', () => process.exit(0));
