import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { loadPlugin } from '@longshore/plugin/host';
import { runTool, startTool } from '@longshore/plugin/testing';
import * as module from '@longshore/plugin-data';
import * as plugin from '@longshore/plugin-data';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

let workspace: PluginWorkspace;

interface Converted {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  await workspace.write('my data.csv', 'id,name,price\n1,"a, ""b""",1.50\n2,ä🚢,2\n3,,\n');
  await workspace.write(
    'many.csv',
    `id,text\n${Array.from({ length: 100_000 }, (_, id) => `${id},text ${id % 100}`).join('\n')}\n`,
  );
});

afterAll(() => workspace.remove());

const convert = async (input: object, taskId = 'task'): Promise<Converted> =>
  (await runTool(workspace.tool('data_convert'), input, { taskId, principal: 'ann' }))
    .output as Converted;

const rowsOf = async (path: string) =>
  (
    (
      await runTool(
        workspace.tool('data_query'),
        { sql: 'SELECT * FROM t ORDER BY id', files: { t: path } },
        { principal: 'ann' },
      )
    ).output as { rows: unknown[][] }
  ).rows;

describe('data_convert', () => {
  it.each(['csv', 'json', 'parquet'])('writes %s that holds the same', async (to) => {
    const { path, rows, bytes } = await convert({ file: 'my data.csv', to });
    const ending = to === 'json' ? 'jsonl' : to;
    expect(path).toBe(join(workspace.host.dataDir, `ann/task/my_data.${ending}`));
    expect(rows).toBe(3);
    expect(bytes).toBe((await stat(path)).size);
    expect(await rowsOf(path)).toEqual([
      [1, 'a, "b"', 1.5],
      [2, 'ä🚢', 2],
      [3, null, null],
    ]);
  });

  it('goes through all formats and back without loss', async () => {
    const parquet = await convert({ file: 'many.csv', to: 'parquet' }, 'one');
    const json = await convert({ file: parquet.path, to: 'json' }, 'two');
    const csv = await convert({ file: json.path, to: 'csv', save_as: 'back.csv' }, 'three');
    expect(parquet.bytes).toBeLessThan(csv.bytes);
    expect(await readFile(csv.path, 'utf8')).toBe(
      await readFile(join(workspace.root, 'in/many.csv'), 'utf8'),
    );
  });

  it('stops a file that gets larger than it may, and leaves nothing of it', async () => {
    const fileLimits = { fileBytes: 1_000_000, principalBytes: 10_000_000 };
    const { tools } = loadPlugin(module, { ...workspace.host, fileLimits });
    const tool = tools.find(({ name }) => name === 'data_convert');
    if (tool === undefined) throw new Error('no data_convert');
    const input = { file: 'many.csv', to: 'csv', sql: 'SELECT range FROM range(30_000_000)' };
    const options = { taskId: 'large', principal: 'ann' };
    await expect(runTool(tool, input, options)).rejects.toThrow(
      'many.csv is over the limit of 1000000 bytes for a file',
    );
    expect(await readdir(join(workspace.host.dataDir, 'ann/large'))).toEqual([]);
  });

  it('saves the result of a query', async () => {
    const { path, rows } = await convert({
      file: 'many.csv',
      to: 'csv',
      sql: 'SELECT text, count(*) AS n FROM data GROUP BY text ORDER BY text LIMIT 2; -- two',
      save_as: 'counts.csv',
    });
    expect(rows).toBe(2);
    expect(await readFile(path, 'utf8')).toBe('text,n\ntext 0,1000\ntext 1,1000\n');
  });

  it('reports the end of its progress', async () => {
    const { progress } = await runTool(workspace.tool('data_convert'), {
      file: 'many.csv',
      to: 'parquet',
    });
    expect(progress.at(-1)).toMatchObject({ done: 100, total: 100 });
  });

  it('leaves no file when it is stopped', async () => {
    const run = startTool(
      workspace.tool('data_convert'),
      { file: 'many.csv', to: 'csv', sql: 'SELECT * FROM data, range(100000)' },
      { taskId: 'stopped', principal: 'ann', onProgress: () => run.abort(new Error('enough')) },
    );
    await expect(run.output).rejects.toThrow('enough');
    expect(await readdir(join(workspace.host.dataDir, 'ann/stopped'))).toEqual([]);
  });

  it('leaves no file when the query fails', async () => {
    const input = { file: 'many.csv', to: 'csv', sql: 'SELECT text::INT FROM data' };
    await expect(convert(input, 'failed')).rejects.toBeInstanceOf(ToolError);
    expect(await readdir(join(workspace.host.dataDir, 'ann/failed'))).toEqual([]);
  });

  it('writes what only the same user can read', async () => {
    const { path } = await convert({ file: 'my data.csv', to: 'csv' });
    const run = runTool(
      workspace.tool('data_query'),
      { sql: 'FROM t', files: { t: path } },
      { principal: 'bob' },
    );
    await expect(run).rejects.toThrow('is outside the directories');
  });

  it.each([
    [{ file: 'many.csv', to: 'csv', save_as: '../x.csv' }, 'is no file name'],
    [{ file: 'many.csv', to: 'csv', save_as: '/etc/x.csv' }, 'is no file name'],
    [{ file: 'many.csv', to: 'csv', sql: "FROM read_text('/etc/passwd')" }, 'is not allowed'],
    [{ file: 'many.csv', to: 'csv', sql: "COPY data TO '/tmp/x'" }, 'only SELECT'],
    [{ file: '/etc/passwd', to: 'csv' }, 'is outside the directories'],
  ])('refuses %j', async (input, message) => {
    const run = convert(input);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toBeInstanceOf(ToolError);
  });
});
