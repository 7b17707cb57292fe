import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type Logger, silentLogger } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import { TaskFolderSweeper } from '../../src/files/task-folder-sweeper.ts';
import { WorkerBench } from '../bench/worker-bench.ts';

let bench: WorkerBench;
let other: TestDatabase;
let otherDatabase: Database;
let dataDir: string;

beforeAll(async () => {
  bench = await WorkerBench.open('postgres');
  other = await createTestDatabase();
  otherDatabase = openDatabase({ url: other.url, log: silentLogger });
  dataDir = await mkdtemp(path.join(tmpdir(), 'longshore-folders-'));
});
afterAll(async () => {
  await rm(dataDir, { recursive: true });
  await otherDatabase.close();
  await other.drop();
  await bench.close();
});

const sweeperOf = (
  { fileRecords: records, secretStore: secrets }: Database,
  log: Logger = silentLogger,
) => new TaskFolderSweeper({ dataDir, records, secrets, log });

it('deletes what was written for tasks that are gone, and nothing of another database', async () => {
  const [ours, another] = [sweeperOf(bench.database), sweeperOf(otherDatabase)];
  await ours.runOnce();
  const kept = await bench.submit('writes');
  const gone = await bench.submit('writes');
  const principal = bench.session.principalId;
  for (const task of [kept, gone]) {
    await mkdir(path.join(dataDir, principal, task), { recursive: true });
    await writeFile(path.join(dataDir, principal, task, 'rows.csv'), 'a,b');
  }
  const folders = async (): Promise<string[]> =>
    (await readdir(path.join(dataDir, principal))).sort();

  expect(await another.runOnce()).toBe(0);
  expect(await ours.runOnce()).toBe(0);
  expect(await folders()).toEqual([kept, gone].sort());

  await bench.sql('DELETE FROM tasks WHERE id = $1', [gone]);
  expect(await another.runOnce()).toBe(0);
  expect(await folders()).toEqual([kept, gone].sort());
  // Also after a restart.
  expect(await sweeperOf(bench.database).runOnce()).toBe(1);
  expect(await folders()).toEqual([kept]);

  await bench.sql('DELETE FROM tasks');
  expect(await ours.runOnce()).toBe(1);
  expect((await readdir(dataDir)).filter((name) => !name.startsWith('.'))).toEqual([]);
});

it('says once that a directory is of another database', async () => {
  const warnings: string[] = [];
  const log: Logger = { ...silentLogger, warn: (_fields, message) => void warnings.push(message) };
  await sweeperOf(bench.database).runOnce();
  const another = sweeperOf(otherDatabase, log);
  for (let run = 0; run < 3; run += 1) await another.runOnce();
  expect(warnings).toEqual([expect.stringContaining('DATA_DIR is of another database')]);
});
