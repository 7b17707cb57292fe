import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { lockDataDir } from '../database/data-dir-lock.ts';
import { engineDirectory, engineProcessEnvironment } from '../engine/engine-settings.ts';
import { idleWatch } from './idle-watch.ts';
import { type StartOptions, startCommand } from './start-command.ts';

/**
 * What `longshore stdio` starts in the background when nothing runs: the same as `start`, for this user only,
 * until nobody needs it. It outlives the hosts, and so do the tasks.
 *
 * @returns the exit code
 * @throws {LongshoreError} CONFIG_INVALID when another one runs
 */
export async function engineCommand(options: StartOptions): Promise<number> {
  const { config, log, stop } = options;
  const directory = engineDirectory(config.DATA_DIR, config.DATABASE_URL);
  mkdirSync(path.join(config.DATA_DIR, 'files'), { recursive: true, mode: 0o700 });
  const idle = idleWatch({ directory, idleMs: config.STDIO_IDLE_MS, log });
  const run = { ...options, env: engineProcessEnvironment(options.env), idle };
  // The embedded database is locked by `startCommand`, as for everybody.
  if (config.DATABASE_URL === null) return startCommand(run);
  const lock = await lockDataDir(directory, { log, signal: stop, graceMs: 0 });
  try {
    return await startCommand(run);
  } finally {
    lock.release();
  }
}
