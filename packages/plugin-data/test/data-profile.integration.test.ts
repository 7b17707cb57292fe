import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { runTool, startTool } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-data';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

let workspace: PluginWorkspace;

interface Profile {
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly distinct: number }[];
}

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  const lines = ['id,status,price,day,"odd ""name"""'];
  for (let id = 1; id <= 1_000; id += 1) {
    const status = id % 10 === 0 ? '' : id % 3 === 0 ? 'open' : 'paid';
    lines.push(`${id},${status},${(id % 50) + 0.5},2024-01-${10 + (id % 20)},x`);
  }
  await workspace.write('orders.csv', `${lines.join('\n')}\n`);
  await workspace.write(
    'nested.jsonl',
    '{"a":{"b":1},"c":[1,2]}\n{"a":{"b":1},"c":[3]}\n{"a":null,"c":[1,2]}\n',
  );
  await workspace.write('header.csv', 'a,b\n');
  const wide = Array.from({ length: 201 }, (_, index) => `c${index}`);
  await workspace.write('wide.csv', `${wide.join(',')}\n${wide.map(() => '1').join(',')}\n`);
  await workspace.write('long.csv', `text\n${'y'.repeat(1_000)}\n`);
});

afterAll(() => workspace.remove());

const profile = async (input: object): Promise<Profile> =>
  (await runTool(workspace.tool('data_profile'), input)).output as Profile;

describe('data_profile', () => {
  it('describes every column', async () => {
    const { rows, columns } = await profile({ file: 'orders.csv', top: 2 });
    expect(rows).toBe(1_000);
    expect(columns).toEqual([
      {
        name: 'id',
        type: 'BIGINT',
        nulls: 0,
        distinct: expect.any(Number),
        distinct_is_exact: false,
        min: '1',
        max: '1000',
        top_values: [],
      },
      {
        name: 'status',
        type: 'VARCHAR',
        nulls: 100,
        distinct: 2,
        distinct_is_exact: true,
        min: 'open',
        max: 'paid',
        top_values: [
          { value: 'paid', count: 600 },
          { value: 'open', count: 300 },
        ],
      },
      {
        name: 'price',
        type: 'DOUBLE',
        nulls: 0,
        distinct: 50,
        distinct_is_exact: true,
        min: '0.5',
        max: '49.5',
        top_values: [
          { value: '0.5', count: 20 },
          { value: '1.5', count: 20 },
        ],
      },
      {
        name: 'day',
        type: 'DATE',
        nulls: 0,
        distinct: 20,
        distinct_is_exact: true,
        min: '2024-01-10',
        max: '2024-01-29',
        top_values: [
          { value: '2024-01-10', count: 50 },
          { value: '2024-01-11', count: 50 },
        ],
      },
      {
        name: 'odd "name"',
        type: 'VARCHAR',
        nulls: 0,
        distinct: 1,
        distinct_is_exact: true,
        min: 'x',
        max: 'x',
        top_values: [{ value: 'x', count: 1_000 }],
      },
    ]);
    const id = columns.find(({ name }) => name === 'id');
    expect(Math.abs((id?.distinct ?? 0) - 1_000)).toBeLessThan(500);
  });

  it('describes nested columns by their text', async () => {
    expect(await profile({ file: 'nested.jsonl' })).toEqual({
      rows: 3,
      columns: [
        {
          name: 'a',
          type: 'STRUCT(b BIGINT)',
          nulls: 1,
          distinct: 1,
          distinct_is_exact: true,
          min: null,
          max: null,
          top_values: [{ value: "{'b': 1}", count: 2 }],
        },
        {
          name: 'c',
          type: 'BIGINT[]',
          nulls: 0,
          distinct: 2,
          distinct_is_exact: true,
          min: null,
          max: null,
          top_values: [
            { value: '[1, 2]', count: 2 },
            { value: '[3]', count: 1 },
          ],
        },
      ],
    });
  });

  it('describes a file without rows', async () => {
    expect(await profile({ file: 'header.csv' })).toMatchObject({
      rows: 0,
      columns: [{ name: 'a', nulls: 0, distinct: 0, min: null, top_values: [] }, { name: 'b' }],
    });
  });

  it('takes only the columns it is asked for', async () => {
    const { columns } = await profile({ file: 'wide.csv', columns: ['c200', 'c3'] });
    expect(columns.map(({ name }) => name)).toEqual(['c3', 'c200']);
  });

  it('cuts long values', async () => {
    const { columns } = await profile({ file: 'long.csv' });
    expect(columns).toMatchObject([
      { min: 'y'.repeat(200), top_values: [{ value: 'y'.repeat(200) }] },
    ]);
  });

  it('reports progress column by column', async () => {
    const { progress } = await runTool(workspace.tool('data_profile'), { file: 'orders.csv' });
    expect(progress.at(-1)).toEqual({ done: 600, total: 600, message: 'odd "name"' });
  });

  it('stops when it is told to', async () => {
    const run = startTool(
      workspace.tool('data_profile'),
      { file: 'orders.csv' },
      { onProgress: () => run.abort(new Error('enough')) },
    );
    await expect(run.output).rejects.toThrow('enough');
  });

  it.each([
    [{ file: 'wide.csv' }, 'the file has 201 columns; name up to 200'],
    [
      { file: 'orders.csv', columns: ['prize'] },
      'there is no column "prize"; the columns are id, status',
    ],
    [{ file: '../orders.csv' }, 'is outside the directories'],
  ])('refuses %j', async (input, message) => {
    const run = profile(input);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toBeInstanceOf(ToolError);
  });
});
