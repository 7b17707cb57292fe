import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { loadConfig } from '@longshore/config';
import {
  configuredTracing,
  createLogger,
  LIFE_LEVEL,
  listenForStopSignals,
  runMain,
} from '@longshore/runtime';
import * as z from 'zod';
import { startApiProcess } from './api-process.ts';

/** For answers on their way and servers that do not answer, after the grace for calls. */
const STOP_LIMIT_MS = 8_000;

const { version } = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('../package.json'));

/** The built files of apps/dashboard, beside this app. */
const DASHBOARD = path.join(import.meta.dirname, '..', '..', 'dashboard', 'dist');

void runMain('longshore api', async () => {
  const { stop, kill } = listenForStopSignals();
  kill.addEventListener('abort', () => process.exit(1));
  const config = loadConfig(process.env);
  const log = createLogger(config.LOG_LEVEL, { app: 'api', pid: process.pid });
  stop.addEventListener('abort', () => {
    log[LIFE_LEVEL]({}, 'api is stopping');
    setTimeout(() => {
      log.warn({}, 'api did not stop in time');
      process.exit(0);
    }, config.SHUTDOWN_GRACE_MS + STOP_LIMIT_MS);
  });
  const stopTracing = await configuredTracing(config, { service: 'longshore-api', version, log });
  const api = await startApiProcess({ config, version, dashboard: DASHBOARD, log });
  log[LIFE_LEVEL]({ url: api.url }, 'api ready');
  process.send?.({ kind: 'ready', url: api.url });
  if (!stop.aborted) await once(stop, 'abort');
  await api.stop();
  await stopTracing();
  log[LIFE_LEVEL]({}, 'api stopped');
  return 0;
});
