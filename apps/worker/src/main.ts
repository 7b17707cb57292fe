import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { loadConfig } from '@longshore/config';
import type { WorkerId } from '@longshore/core';
import {
  configuredTracing,
  createLogger,
  LIFE_LEVEL,
  listenForStopSignals,
  runMain,
} from '@longshore/runtime';
import * as z from 'zod';
import { startWorkerProcess } from './worker-process.ts';

/** Beyond SHUTDOWN_GRACE_MS: for handing tasks over, also beside threads that use all processors, and for servers that do not answer. */
const STOP_LIMIT_MS = 8_000;

const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('../package.json'));

// What tools, their threads and their programs write is for nobody else on this machine.
process.umask(0o077);

void runMain('longshore worker', async () => {
  const { stop, kill } = listenForStopSignals();
  kill.addEventListener('abort', () => process.exit(1));
  const retire = retireOrder();
  const config = loadConfig(process.env);
  const workerId = randomUUID() as WorkerId;
  const log = createLogger(config.LOG_LEVEL, { app: 'worker', workerId });
  // Plugins leave promises behind, most of all those of tools that were stopped.
  process.on('unhandledRejection', (err) => {
    log.error({ err }, 'a rejected promise was not handled');
  });
  stop.addEventListener('abort', () => {
    log[LIFE_LEVEL]({}, 'worker is stopping');
    setTimeout(() => {
      log.warn({}, 'worker did not stop in time: its tasks go on when their leases end');
      process.exit(0);
    }, config.SHUTDOWN_GRACE_MS + STOP_LIMIT_MS);
  });
  const stopTracing = await configuredTracing(config, {
    service: 'longshore-worker',
    version,
    log,
  });
  const worker = await startWorkerProcess({ config, workerId, version, log });
  log[LIFE_LEVEL]({ tools: worker.tools, queues: worker.queues }, 'worker ready');
  // With a callback an error goes there: whoever started us may just have ended.
  if (process.connected) process.send?.({ kind: 'ready' }, () => {});
  await Promise.race([firing(stop), firing(retire)]);
  if (stop.aborted) {
    await worker.stop();
  } else {
    log[LIFE_LEVEL]({}, 'worker takes no more tasks and ends with those it runs');
    stop.addEventListener('abort', () => void worker.stop());
    await worker.retire();
  }
  await stopTracing();
  log[LIFE_LEVEL]({}, 'worker stopped');
  return 0;
});

/** Fires when whoever started us has started another one in our place: `{ kind: 'retire' }` over IPC. */
function retireOrder(): AbortSignal {
  const retire = new AbortController();
  if (process.channel === undefined) return retire.signal;
  process.on('message', (message) => {
    const isOrder = typeof message === 'object' && message !== null && 'kind' in message;
    if (isOrder && message.kind === 'retire') retire.abort();
  });
  return retire.signal;
}

async function firing(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
