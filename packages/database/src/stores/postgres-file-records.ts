import type {
  FileFacts,
  FileRecords,
  OpenedFile,
  PrincipalId,
  StoredResult,
  TaskFile,
  TaskId,
} from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { deleteFiles } from '../statements/delete-files.ts';
import { dropFile } from '../statements/drop-file.ts';
import { filterGoneTasks } from '../statements/filter-gone-tasks.ts';
import { findFile } from '../statements/find-file.ts';
import { findResult } from '../statements/find-result.ts';
import { keepFile } from '../statements/keep-file.ts';
import { listFiles } from '../statements/list-files.ts';
import { lockAttempt } from '../statements/lock-attempt.ts';
import { openFile } from '../statements/open-file.ts';
import { pickUnwantedFiles } from '../statements/pick-unwanted-files.ts';
import { readResult } from '../statements/read-result.ts';
import { replaceFile } from '../statements/replace-file.ts';

export class PostgresFileRecords implements FileRecords {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async open(taskId: TaskId, attempt: number, facts: FileFacts): Promise<OpenedFile | null> {
    return openFile(this.#runner, taskId, attempt, facts);
  }

  async keep(
    taskId: TaskId,
    attempt: number,
    file: Pick<TaskFile, 'key' | 'size' | 'sha256'>,
  ): Promise<boolean> {
    return this.#runner.transaction('keep-file', async (runner) => {
      if (!(await lockAttempt(runner, taskId, attempt))) return false;
      await replaceFile(runner, taskId, file.key);
      return keepFile(runner, taskId, file);
    });
  }

  async drop(key: string): Promise<void> {
    await dropFile(this.#runner, key);
  }

  async list(taskId: TaskId, limit: number): Promise<TaskFile[]> {
    return listFiles(this.#runner, taskId, limit);
  }

  async find(taskId: TaskId, owner: PrincipalId, name: string): Promise<TaskFile | null> {
    return isUuid(taskId) ? findFile(this.#runner, taskId, owner, name) : null;
  }

  async findResult(taskId: TaskId, owner: PrincipalId): Promise<StoredResult | null> {
    return isUuid(taskId) ? findResult(this.#runner, taskId, owner) : null;
  }

  async readResult(
    taskId: TaskId,
    owner: PrincipalId,
    start: number,
    length: number,
  ): Promise<Uint8Array | null> {
    return readResult(this.#runner, taskId, owner, start, length);
  }

  async pickUnwanted(limit: number, retryInMs: number): Promise<string[]> {
    return pickUnwantedFiles(this.#runner, limit, retryInMs);
  }

  async withoutTask(ids: readonly string[]): Promise<string[]> {
    const tasks = ids.filter(isUuid);
    return tasks.length === 0 ? [] : filterGoneTasks(this.#runner, tasks);
  }

  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await deleteFiles(this.#runner, keys);
  }
}
