import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { ModernClient } from '@longshore/testing/mcp';
import { type Stack, startStack } from './support/stack.ts';

const GROUPS = 8;
const ROWS = 4_000;

/** `data_split_apply` with real workers: partitions are items that both of them run. */
describe('data_split_apply over two workers', () => {
  let stack: Stack;
  let client: ModernClient;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(path.join(tmpdir(), 'longshore-split-'));
    const rows = Array.from(
      { length: ROWS },
      (_, id) => `${id % GROUPS},${id},${id === 3 ? 'three' : id}`,
    );
    writeFileSync(path.join(directory, 'rows.csv'), `g,id,word\n${rows.join('\n')}\n`);
    stack = await startStack({
      mode: 'postgres',
      workers: 2,
      environment: {
        PLUGINS: '@longshore/plugin-data',
        PLUGIN_DIRS: directory,
        DATA_DIR: path.join(directory, '.data'),
        // An engine at a time: whoever else wants a partition gets one.
        WORKER_CONCURRENCY: '1',
      },
    });
    client = new ModernClient(stack.urls).withTasks();
    await waitFor(
      async () => JSON.stringify(await client.result('tools/list')).includes('data_split_apply'),
      { what: 'the catalogue is there' },
    );
  });
  afterAll(async () => {
    await stack.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('runs partitions on both, reports the one that fails, and keeps all rows in a file', async () => {
    const taskId = await client.startTask('data_split_apply', {
      file: 'rows.csv',
      by: ['g'],
      sql: 'SELECT id, word::INTEGER AS word FROM data',
      max_rows: 3,
    });
    const task = await waitFor(
      async () => {
        const found = await client.result('tasks/get', { taskId });
        return found['status'] === 'working' ? undefined : found;
      },
      { what: 'the task has ended', timeoutMs: 60_000 },
    );
    const uri = `longshore://tasks/${taskId}/files/rows.csv`;
    expect(task).toMatchObject({
      status: 'completed',
      result: {
        structuredContent: {
          rows: [0, 8, 16].map((id) => [0, id, id]),
          row_count: ROWS - ROWS / GROUPS,
          truncated: true,
          partitions: GROUPS,
          failed: 1,
          failures: [{ partition: { g: 3 }, reason: expect.stringContaining("'three'") }],
          file: { uri, name: 'rows.csv' },
        },
      },
    });
    const { contents } = (await client.result('resources/read', { uri })) as {
      contents: readonly { readonly text: string }[];
    };
    const lines = contents[0]?.text.trimEnd().split('\n') ?? [];
    expect(lines[0]).toBe('g,id,word');
    expect(new Set(lines.slice(1).map((line) => line.split(',')[1])).size).toBe(
      ROWS - ROWS / GROUPS,
    );
    const chunks = stack.workers.map((worker) =>
      worker
        .logs()
        .split('\n')
        .filter((line) => line.includes('attempt started') && !line.includes(taskId)),
    );
    expect(Math.min(...chunks.map(({ length }) => length))).toBeGreaterThan(0);
  });
});
