import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { type RecordedFile, runTool, startTool } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-data';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

let workspace: PluginWorkspace;

interface Split {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly row_count: number;
  readonly truncated: boolean;
  readonly clipped: number;
  readonly partitions: number;
  readonly failed: number;
  readonly failures: readonly { readonly partition: object; readonly reason: string }[];
  readonly file: { readonly uri: string; readonly name: string; readonly bytes: number } | null;
}

interface Run {
  readonly output: Split;
  readonly files: ReadonlyMap<string, RecordedFile>;
}

const COUNT = 'SELECT count(*) AS n, sum(amount) AS total FROM data';

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  await workspace.write(
    'sales.csv',
    [
      'shop,day,amount,note',
      `"O'Neill ""& Sons""",2026-01-01,10,a`,
      `"O'Neill ""& Sons""",2026-01-02,20,b`,
      'Müller; DROP TABLE x--,2026-01-01,5,7',
      ',2026-01-01,1,8',
      ',2026-01-02,2,9',
    ].join('\n'),
  );
  await workspace.write('empty.csv', 'shop,amount\n');
  await workspace.write(
    'many.jsonl',
    Array.from({ length: 1_001 }, (_, id) =>
      JSON.stringify({ id, tags: [id], text: `t${id}` }),
    ).join('\n'),
  );
  await workspace.write(
    'groups.csv',
    `g,id,text\n${Array.from({ length: 16_000 }, (_, id) => `${id % 2},${id},"text, ""${id}"""`).join('\n')}\n`,
  );
});

afterAll(() => workspace.remove());

const split = async (input: object, taskId = 'task'): Promise<Run> => {
  const { output, files } = await runTool(workspace.tool('data_split_apply'), input, {
    taskId,
    principal: 'ann',
  });
  return { output: output as Split, files };
};

const query = async (path: string, sql: string) =>
  (
    (await runTool(workspace.tool('data_query'), { sql, files: { t: path } })).output as {
      rows: unknown[][];
    }
  ).rows;

describe('data_split_apply', () => {
  it('runs the query on each partition, whatever its value is, and NULL last', async () => {
    const { output, files } = await split({ file: 'sales.csv', by: ['shop'], sql: COUNT });
    expect(output).toEqual({
      columns: [
        { name: 'shop', type: 'VARCHAR' },
        { name: 'n', type: 'BIGINT' },
        { name: 'total', type: 'HUGEINT' },
      ],
      rows: [
        ['Müller; DROP TABLE x--', 1, 5],
        [`O'Neill "& Sons"`, 2, 30],
        [null, 2, 3],
      ],
      row_count: 3,
      truncated: false,
      clipped: 0,
      partitions: 3,
      failed: 0,
      failures: [],
      file: null,
    });
    expect(files.size).toBe(0);
  });

  it('splits by several columns, with their types, and names no column twice', async () => {
    const sql = 'SELECT day, amount FROM data -- all';
    const { output } = await split({ file: 'sales.csv', by: ['day', 'shop'], sql });
    expect(output.columns.map(({ name }) => name)).toEqual(['day', 'shop', 'day_1', 'amount']);
    expect(output.columns[0]).toEqual({ name: 'day', type: 'DATE' });
    expect(output.rows).toEqual([
      ['2026-01-01', 'Müller; DROP TABLE x--', '2026-01-01', 5],
      ['2026-01-01', `O'Neill "& Sons"`, '2026-01-01', 10],
      ['2026-01-01', null, '2026-01-01', 1],
      ['2026-01-02', `O'Neill "& Sons"`, '2026-01-02', 20],
      ['2026-01-02', null, '2026-01-02', 2],
    ]);
  });

  it('reports a partition whose query fails, and goes on with the others', async () => {
    const { output } = await split({
      file: 'sales.csv',
      by: ['shop'],
      sql: 'SELECT sum(note::INTEGER) FROM data',
    });
    expect(output.rows).toEqual([
      ['Müller; DROP TABLE x--', 7],
      [null, 17],
    ]);
    expect(output).toMatchObject({ partitions: 3, failed: 1, row_count: 2 });
    expect(output.failures).toEqual([
      {
        partition: { shop: `O'Neill "& Sons"` },
        reason: expect.stringContaining("Could not convert string 'a' to INT32"),
      },
    ]);
  });

  it('fails a partition that gives too many rows, rather than leave some out', async () => {
    await workspace.write(
      'uneven.csv',
      `g,id\n${Array.from({ length: 10_002 }, (_, id) => `${id === 0 ? 'a' : 'b'},${id}`).join('\n')}\n`,
    );
    const { output } = await split({ file: 'uneven.csv', by: ['g'], sql: 'SELECT id FROM data' });
    expect(output.rows).toEqual([['a', 0]]);
    expect(output.failures).toEqual([
      { partition: { g: 'b' }, reason: expect.stringContaining('more than 10000 rows') },
    ]);
  });

  it('writes all rows to a file when they are more than fit', async () => {
    const { output, files } = await split({
      file: 'groups.csv',
      by: ['g'],
      sql: 'SELECT id, text FROM data',
      max_rows: 5,
    });
    expect(output).toMatchObject({ row_count: 16_000, truncated: true, partitions: 2 });
    expect(output.rows).toEqual([0, 2, 4, 6, 8].map((id) => [0, id, `text, "${id}"`]));
    const file = files.get('groups.csv');
    expect(output.file).toEqual({
      uri: 'longshore://tasks/task/files/groups.csv',
      name: 'groups.csv',
      bytes: file?.bytes.length,
    });
    const lines = file?.text.trimEnd().split('\n') ?? [];
    expect(lines[0]).toBe('g,id,text');
    expect(new Set(lines).size).toBe(16_001);
    expect(lines).toContain('1,15999,"text, ""15999"""');
    // What the file was made of is gone.
    expect(await readdir(join(workspace.host.dataDir, 'ann/task'))).toEqual([]);
  });

  it.each(['json', 'parquet'])('keeps types and values in a %s file', async (to) => {
    const values = [
      '1.50::DECIMAL(9,2)',
      "TIMESTAMPTZ '2026-01-01 12:00:00.000001+02'",
      "'NaN'::DOUBLE",
      '9007199254740993',
      "INTERVAL '1 month 2 days'",
      'NULL::DATE',
      "'a\n\"b\", ''c'''",
      'true',
    ];
    const nested = ['[1, NULL]', "{'a': [DATE '2026-01-01']}"];
    const sql = `SELECT ${[...values, ...nested, "'\\xAA'::BLOB"].map((value, at) => `${value} AS v${at}`).join(', ')} FROM data`;
    const { output, files } = await split(
      { file: 'sales.csv', by: ['day'], sql, max_rows: 1, to },
      to,
    );
    const name = output.file?.name ?? '';
    await workspace.write(name, files.get(name)?.bytes ?? '');
    const same = values.map((value, at) => `v${at} IS NOT DISTINCT FROM ${value}`);
    const types = values.map((value, at) => `typeof(v${at}) = typeof(${value})`);
    expect(
      await query(
        name,
        `SELECT count(*), count(*) FILTER (${same.join(' AND ')}), ${to === 'parquet' ? `bool_and(${types.join(' AND ')})` : 'true'}, any_value(v8::VARCHAR), any_value(v9::JSON->>'$.a[0]'), any_value(v10) FROM t`,
      ),
    ).toEqual([[5, 5, true, expect.stringMatching(/^\[1, ?(null|NULL)\]$/), '2026-01-01', 'qg==']]);
  });

  it('stops with its task', async () => {
    const run = startTool(
      workspace.tool('data_split_apply'),
      {
        file: 'sales.csv',
        by: ['shop'],
        sql: 'SELECT count(*) FROM data, range(100000000000) a, range(1000) b',
      },
      { principal: 'ann' },
    );
    run.output.catch(() => {});
    setTimeout(() => run.abort(new Error('enough')), 500);
    await expect(run.output).rejects.toThrow('enough');
  });

  it.each([
    [{ file: 'sales.csv', by: ['shops'] }, 'there is no column "shops"; the columns are shop, day'],
    [{ file: 'sales.csv', by: ['shop', 'shop'] }, 'name each column once'],
    [{ file: 'sales.csv', by: [] }, 'expected array to have >=1 items'],
    [{ file: 'empty.csv', by: ['shop'] }, 'no rows to split'],
    [{ file: 'many.jsonl', by: ['id'] }, 'more than 1000 partitions'],
    [{ file: 'many.jsonl', by: ['tags'] }, 'split by columns of plain values'],
    [{ file: '../x.csv', by: ['shop'] }, 'is outside the directories'],
    [{ file: 'missing.csv', by: ['shop'] }, 'does not exist'],
  ])('refuses %j', async (input, message) => {
    await expect(split({ sql: 'SELECT 1 FROM data', ...input })).rejects.toThrow(message);
  });

  it.each([
    ['SELEC 1', 'can not be parsed'],
    ['SELECT nothing FROM data', 'nothing'],
    ["FROM read_csv('/etc/passwd')", 'is not allowed'],
    ["COPY data TO '/tmp/x'", 'only SELECT'],
    ['SELECT * FROM whole_file', 'there is no table "whole_file"'],
    ['SELECT 1; SELECT 2', 'must be one statement'],
  ])('refuses %s before a partition runs', async (sql, message) => {
    const run = split({ file: 'sales.csv', by: ['shop'], sql });
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toBeInstanceOf(ToolError);
  });

  it('reads the file also where the query names a table of its own like it', async () => {
    const sql = 'WITH whole_file AS (SELECT 1 AS amount) SELECT sum(amount) FROM data';
    const { output } = await split({ file: 'sales.csv', by: ['shop'], sql });
    expect(output.rows.map(([, sum]) => sum)).toEqual([5, 30, 3]);
  });
});
