import { randomUUID } from 'node:crypto';
import { readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type FileRecords, type Logger, PeriodicService, type SecretStore } from '@longshore/core';

export interface TaskFolderSweeperOptions {
  /** Where tools write: a folder for each principal, in it one for each of its tasks. */
  readonly dataDir: string;
  readonly records: Pick<FileRecords, 'withoutTask'>;
  readonly secrets: SecretStore;
  readonly log: Logger;
  /** Milliseconds between runs; a minute by default. */
  readonly intervalMs?: number;
}

/** Beside the folders: the id of the database whose tasks they are of. */
const OWNER_FILE = '.database';

/** Folders per statement. */
const BATCH_SIZE = 500;

/**
 * Deletes what tools have written for tasks that are gone. A task has its row before it has a folder, so a folder
 * without one is nobody's. Any number of processes may sweep one directory at once, as long as they have one database:
 * the first one to start with a directory makes it its database's, and those with another one leave it alone.
 */
export class TaskFolderSweeper extends PeriodicService {
  readonly #options: TaskFolderSweeperOptions;
  #isOurs = false;
  /** Said once: who runs this decides it once. */
  #isForeignTold = false;

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

  /** Before tools write: what is there then is of this database, or of an earlier start with it. */
  override async start(): Promise<void> {
    await this.#claim();
    return super.start();
  }

  /** @returns how many folders are gone */
  async runOnce(signal?: AbortSignal): Promise<number> {
    const { dataDir, log } = this.#options;
    let deleted = 0;
    if (!(await this.#claim())) return deleted;
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

  /** @returns whether the directory is of this database */
  async #claim(): Promise<boolean> {
    if (this.#isOurs) return true;
    const { dataDir, secrets, log } = this.#options;
    const database = await secrets.ensure('data-dir-owner', randomUUID());
    const file = path.join(dataDir, OWNER_FILE);
    await writeFile(file, database, { flag: 'wx', mode: 0o600 }).catch(ignoreExisting);
    this.#isOurs = (await readFile(file, 'utf8')) === database;
    if (!this.#isOurs && !this.#isForeignTold) {
      this.#isForeignTold = true;
      log.warn(
        { dataDir },
        `DATA_DIR is of another database: files of tasks that are gone stay. Set another DATA_DIR, or delete ${file} if that database is no more.`,
      );
    }
    return this.#isOurs;
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

/** Hidden ones are ours. */
async function foldersIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
    .map(({ name }) => name);
}
