import type {
  Fence,
  FileFacts,
  FileRecords,
  OpenedFile,
  PrincipalId,
  StoredResult,
  TaskFile,
  TaskId,
} from '@longshore/core';
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { IS_ALIVE } from '../rows/open-task.ts';
import { lockAttempt } from '../statements/lock-attempt.ts';
import { openFile } from '../statements/open-file.ts';
import { pickUnwantedFiles } from '../statements/pick-unwanted-files.ts';

const File: z.ZodType<TaskFile> = z.object({
  key: z.string(),
  name: z.string(),
  mimeType: z.string(),
  size: z.coerce.number(),
  sha256: z.instanceof(Uint8Array).transform((bytes) => Buffer.from(bytes).toString('hex')),
});
const Id = z.object({ id: z.string() });
const Size = z.object({ size: z.number() });
const Part = z.object({ bytes: z.instanceof(Uint8Array) });

/** The whole of a result `r`, as JSON in UTF-8. The expression fetches nothing by itself of a large one. */
const RESULT_BYTES = Prisma.sql`
  CASE WHEN r.body IS NULL THEN convert_to(r.payload::text, 'UTF8') ELSE r.body END`;

/** FROM and WHERE: the result `r` of a task that ended with one. Indexes: tasks_pkey, task_results_pkey. */
const ownedResult = (taskId: TaskId, owner: PrincipalId): Prisma.Sql => Prisma.sql`
  FROM tasks AS t JOIN task_results AS r ON r.task_id = t.id
  WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
    AND t.request_method = 'tools/call' AND t.outcome_kind IN ('result', 'tool_error')`;

export class PostgresFileRecords implements FileRecords {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async open(fence: Fence, facts: FileFacts): Promise<OpenedFile | null> {
    return openFile(this.#runner, fence, facts);
  }

  async keep(fence: Fence, file: Pick<TaskFile, 'key' | 'size' | 'sha256'>): Promise<boolean> {
    return this.#runner.transaction('keep-file', async (runner) => {
      if (!(await lockAttempt(runner, fence))) return false;
      await replaceFile(runner, fence.taskId, file.key);
      return keepFile(runner, fence.taskId, file);
    });
  }

  async drop(key: string): Promise<void> {
    const sweepAfter = await this.#runner.now();
    await this.#runner.ask('drop-file', (prisma) =>
      prisma.taskFile.updateMany({
        where: { id: key, state: 'writing' },
        data: { state: 'unwanted', sweepAfter },
      }),
    );
  }

  async list(taskId: TaskId, limit: number): Promise<TaskFile[]> {
    const files = await this.#runner.ask('list-files', (prisma) =>
      prisma.taskFile.findMany({
        where: { taskId, state: 'ready' },
        orderBy: { name: 'asc' },
        take: limit,
        select: { id: true, name: true, mimeType: true, size: true, sha256: true },
      }),
    );
    return files.map(({ id: key, ...file }) => File.parse({ key, ...file }));
  }

  /** Indexes: tasks_pkey, task_files_task_id_name_ready_key. */
  async find(taskId: TaskId, owner: PrincipalId, name: string): Promise<TaskFile | null> {
    if (!isUuid(taskId)) return null;
    const [file] = await this.#runner.run({
      name: 'find-file',
      row: File,
      sql: Prisma.sql`
        SELECT f.id AS key, f.name, f.mime_type AS "mimeType", f.size, f.sha256
        FROM tasks AS t JOIN task_files AS f ON f.task_id = t.id
        WHERE t.id = ${taskId}::uuid AND t.principal_id = ${owner}::uuid AND ${IS_ALIVE}
          AND f.name = ${name} AND f.state = 'ready'`,
    });
    return file ?? null;
  }

  /** Calls without a handle too. */
  async findResult(taskId: TaskId, owner: PrincipalId): Promise<StoredResult | null> {
    if (!isUuid(taskId)) return null;
    const [result] = await this.#runner.run({
      name: 'find-result',
      row: Size,
      sql: Prisma.sql`SELECT octet_length(${RESULT_BYTES}) AS size ${ownedResult(taskId, owner)}`,
    });
    return result ?? null;
  }

  /** Of a large result Postgres fetches just the pages of the part: its storage is EXTERNAL. */
  async readResult(
    taskId: TaskId,
    owner: PrincipalId,
    start: number,
    length: number,
  ): Promise<Uint8Array | null> {
    const [part] = await this.#runner.run({
      name: 'read-result',
      row: Part,
      sql: Prisma.sql`
        SELECT substring(${RESULT_BYTES} FROM ${start + 1}::int FOR ${length}::int) AS bytes
        ${ownedResult(taskId, owner)}`,
    });
    return part?.bytes ?? null;
  }

  async pickUnwanted(limit: number, retryInMs: number): Promise<string[]> {
    return pickUnwantedFiles(this.#runner, limit, retryInMs);
  }

  async withoutTask(ids: readonly string[]): Promise<string[]> {
    const asked = ids.filter(isUuid);
    if (asked.length === 0) return [];
    const gone = await this.#runner.run({
      name: 'filter-gone-tasks',
      row: Id,
      sql: Prisma.sql`
        SELECT g.id FROM unnest(${asked}::uuid[]) AS g (id)
        WHERE NOT EXISTS (SELECT FROM tasks AS t WHERE t.id = g.id)`,
    });
    return gone.map(({ id }) => id);
  }

  async forget(keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.#runner.run({
      name: 'delete-files',
      row: z.unknown(),
      sql: Prisma.sql`
        DELETE FROM task_files WHERE id = ANY (${[...keys]}::uuid[]) AND state <> 'ready'`,
    });
  }
}

/**
 * Gives up the readable file of a task that has the name of the file `key`. The caller holds the task's lock.
 * Indexes: task_files_pkey, task_files_task_id_name_ready_key.
 */
async function replaceFile(runner: SqlRunner, taskId: TaskId, key: string): Promise<void> {
  await runner.run({
    name: 'replace-file',
    row: z.unknown(),
    sql: Prisma.sql`
      UPDATE task_files SET state = 'unwanted', sweep_after = now()
      WHERE task_id = ${taskId}::uuid AND state = 'ready'
        AND name = (SELECT name FROM task_files WHERE id = ${key}::uuid)`,
  });
}

/** Index: task_files_pkey. @returns false when the file was given up meanwhile */
async function keepFile(
  runner: SqlRunner,
  taskId: TaskId,
  file: Pick<TaskFile, 'key' | 'size' | 'sha256'>,
): Promise<boolean> {
  const rows = await runner.run({
    name: 'keep-file',
    row: Id,
    sql: Prisma.sql`
      UPDATE task_files
      SET state = 'ready', size = ${file.size}::bigint, sha256 = decode(${file.sha256}, 'hex'),
          sweep_after = NULL
      WHERE id = ${file.key}::uuid AND task_id = ${taskId}::uuid AND state = 'writing'
      RETURNING id`,
  });
  return rows.length > 0;
}
