import { readdir, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import type { FileRecords, Logger } from '@longshore/core';
import { PeriodicService } from '@longshore/queue';

export interface TaskFolderSweeperOptions {
  /** Where tools write: a folder for each principal, in it one for each of its tasks. */
  readonly dataDir: string;
  readonly records: Pick<FileRecords, 'withoutTask'>;
  readonly log: Logger;
  /** Milliseconds between runs; a minute by default. */
  readonly intervalMs?: number;
}

/** Folders per statement. */
const BATCH_SIZE = 500;

/**
 * Deletes what tools have written for tasks that are gone. A task has its row before it has a folder, so a folder
 * without one is nobody's. Any number of processes may sweep one directory at once.
 */
export class TaskFolderSweeper extends PeriodicService {
  readonly #options: TaskFolderSweeperOptions;

  constructor(options: TaskFolderSweeperOptions) {
    const { intervalMs = 60_000, log } = options;
    super({
      name: 'task folder sweeper',
      intervalMs,
      minGapMs: intervalMs / 2,
      maxBackoffMs: 600_000,
      log,
    });
    this.#options = options;
  }

  /** @returns how many folders are gone */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { dataDir, log } = this.#options;
    let deleted = 0;
    for (const principal of await foldersIn(dataDir)) {
      const folder = path.join(dataDir, principal);
      const tasks = await foldersIn(folder);
      for (let start = 0; start < tasks.length; start += BATCH_SIZE) {
        if (signal?.aborted === true) return deleted;
        const gone = await this.#options.records.withoutTask(
          tasks.slice(start, start + BATCH_SIZE),
        );
        for (const task of gone) {
          await rm(path.join(folder, task), { recursive: true, force: true });
          deleted += 1;
        }
      }
      // One that is not empty stays.
      await rmdir(folder).catch(() => {});
    }
    if (deleted > 0) log.debug({ deleted }, 'folders of tasks that are gone deleted');
    return deleted;
  }
}

/** Hidden ones are ours. */
async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
}
