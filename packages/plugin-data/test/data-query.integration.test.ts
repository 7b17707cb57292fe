import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { runTool, startTool, ToolSchemaError } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-data';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

const ROWS = 200_000;
const COUNTRIES = ['DE', 'FR', 'IT', 'PT', 'NL'];

interface Result {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly rows: readonly (readonly unknown[])[];
  readonly row_count: number;
  readonly truncated: boolean;
  readonly clipped: number;
}

const seventeen = Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`t${n}`, 'names.csv']));

let workspace: PluginWorkspace;
const revenue = new Map<string, number>();

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  const lines = ['id,day,country,cents,note'];
  for (let id = 0; id < ROWS; id += 1) {
    const country = COUNTRIES[(id * 7) % 5] ?? '';
    const cents = (id * 7_919) % 100_003;
    revenue.set(country, (revenue.get(country) ?? 0) + cents);
    const note = id % 1_000 === 0 ? `"said ""yes"", then left"` : id % 10 === 0 ? '' : `note ${id}`;
    lines.push(`${id},2024-0${1 + (id % 9)}-1${id % 10},${country},${cents},${note}`);
  }
  await workspace.write('orders.csv', `${lines.join('\n')}\n`);
  await workspace.write('names.csv', 'code;name\nDE;Deutschland\nFR;"Frankreich; Europa"\n');
  await workspace.write('small.csv.gz', gzipSync('a,b\n1,x\n2,y\n'));
  await workspace.write(
    'events.jsonl',
    '{"id":1,"tags":["a"],"at":"2024-01-02T03:04:05Z"}\n{"id":9007199254740993,"tags":[]}\n',
  );
  await workspace.write('list.json', '[{"a":1.5},{"a":2}]');
  await workspace.write('latin.csv', Buffer.from('name,n\ncafé,1\n', 'latin1'));
  await workspace.write('noheader.csv', '1,2\n3,4\n');
  await workspace.write('report.csv', 'Report of today\n\nid,n\n1,2\n');
  await workspace.write('odd.csv', `"a ""b"" 'c'",;DROP\n1,2\n`);
  await workspace.write('header.csv', 'a,b\n');
  await workspace.write('empty.csv', '');
  await workspace.write('extra.csv', 'a,b\n1,2\n3,4,5\n6,7\n');
  await workspace.write('few.csv', 'a,b\n1,2\n3\n');
  await workspace.write('quote.csv', 'a,b\n1,"x\n2,y\n');
  await workspace.write('late.csv', `a\n${'1\n'.repeat(50_000)}x\n`);
  await workspace.write('broken.jsonl', '{"a":1}\n{"a":\n');
  await workspace.write('picture.csv', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]));
  await workspace.write('book.csv', Buffer.from('PK\x03\x04\0\0', 'latin1'));
  await workspace.write('text.parquet', 'a,b\n1,2\n');
  await workspace.write('cut.parquet', 'PAR1 and then nothing of the kind PAR1');
  await workspace.write('table.txt', 'a,b\n1,2\n');
});

afterAll(() => workspace.remove());

const query = async (input: object): Promise<Result> =>
  (await runTool(workspace.tool('data_query'), input)).output as Result;

const select = (sql: string, file: unknown = 'names.csv') => query({ sql, files: { t: file } });

describe('data_query on a CSV file of 200,000 rows', () => {
  it('computes what a program computes', async () => {
    const { rows } = await query({
      sql: 'SELECT country, sum(cents) FROM orders GROUP BY country ORDER BY country',
      files: { orders: 'orders.csv' },
    });
    expect(rows).toEqual([...revenue].sort());
  });

  it('finds the types of the columns', async () => {
    const { columns, rows } = await query({
      sql: 'SELECT * FROM orders WHERE id IN (0, 10, 11) ORDER BY id',
      files: { orders: 'orders.csv' },
    });
    expect(columns).toEqual([
      { name: 'id', type: 'BIGINT' },
      { name: 'day', type: 'DATE' },
      { name: 'country', type: 'VARCHAR' },
      { name: 'cents', type: 'BIGINT' },
      { name: 'note', type: 'VARCHAR' },
    ]);
    expect(rows).toEqual([
      [0, '2024-01-10', 'DE', 0, 'said "yes", then left'],
      [10, '2024-02-10', 'DE', 79_190, null],
      [11, '2024-03-11', 'IT', 87_109, 'note 11'],
    ]);
  });

  it('returns no more rows than asked and says that there are more', async () => {
    const files = { orders: 'orders.csv' };
    const some = await query({ sql: 'SELECT id FROM orders ORDER BY id DESC', files, max_rows: 3 });
    expect(some).toMatchObject({
      rows: [[199_999], [199_998], [199_997]],
      row_count: 3,
      truncated: true,
    });
    const all = await query({ sql: 'SELECT id FROM orders LIMIT 3', files, max_rows: 3 });
    expect(all).toMatchObject({ row_count: 3, truncated: false });
  });

  it('joins files of different formats', async () => {
    const { rows } = await query({
      sql: 'SELECT name, count(*) FROM orders JOIN names ON code = country GROUP BY name ORDER BY name',
      files: { orders: 'orders.csv', names: { path: 'names.csv', delimiter: ';' } },
    });
    expect(rows).toEqual([
      ['Deutschland', 40_000],
      ['Frankreich; Europa', 40_000],
    ]);
  });

  it('reports progress up to the end', async () => {
    const { progress } = await runTool(workspace.tool('data_query'), {
      sql: 'SELECT count(*) FROM orders a, range(500) b WHERE (a.id + b.range) % 7 = 1',
      files: { orders: 'orders.csv' },
    });
    expect(progress.length).toBeGreaterThan(1);
    expect(progress.at(-1)).toMatchObject({ done: 100, total: 100 });
  });
});

describe('data_query', () => {
  it.each<[string, unknown, unknown[][]]>([
    [
      'a semicolon as delimiter',
      'names.csv',
      [
        ['DE', 'Deutschland'],
        ['FR', 'Frankreich; Europa'],
      ],
    ],
    [
      'a gzipped file',
      'small.csv.gz',
      [
        [1, 'x'],
        [2, 'y'],
      ],
    ],
    [
      'JSON lines',
      'events.jsonl',
      [
        [1, ['a'], '2024-01-02 03:04:05'],
        ['9007199254740993', [], null],
      ],
    ],
    ['a JSON array', 'list.json', [[1.5], [2]]],
    ['another encoding', { path: 'latin.csv', encoding: 'latin-1' }, [['café', 1]]],
    [
      'no header',
      { path: 'noheader.csv', header: false },
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['lines to skip', { path: 'report.csv', skip: 2 }, [[1, 2]]],
    ['a name that does not tell', { path: 'table.txt', format: 'csv' }, [[1, 2]]],
    ['a header and nothing more', 'header.csv', []],
  ])('reads %s', async (_what, file, rows) => {
    expect((await select('SELECT * FROM t', file)).rows).toEqual(rows);
  });

  it('takes column names for names, whatever is in them', async () => {
    const { columns, rows } = await select('FROM t', 'odd.csv');
    expect(columns.map(({ name }) => name)).toEqual([`a "b" 'c'`, ';DROP']);
    expect(rows).toEqual([[1, 2]]);
  });

  it('gives every type a faithful JSON value', async () => {
    const { rows, columns } = await select(`SELECT
      9007199254740991 AS safe, 9007199254740993 AS big, 170141183460469231731687303715884105727::HUGEINT AS huge,
      1.10::DECIMAL(5,2) AS money, 'nan'::DOUBLE AS nan, '-infinity'::FLOAT AS inf, 0.1 + 0.2::DOUBLE AS float,
      DATE '2024-02-29' AS day, TIMESTAMP '2024-01-02 03:04:05.123456' AS at,
      TIMESTAMPTZ '2024-01-02 03:04:05+02' AS utc, INTERVAL 3 DAY AS span, TIME '01:02:03' AS clock,
      [1, NULL] AS list, {'a': 1, 'b': {'c': 'x'}} AS struct, MAP {'k': 5} AS map, '{"z": [1]}'::JSON AS json,
      '\\x00\\xFF'::BLOB AS blob, true AS yes, NULL AS nothing, 'ä🚢' AS text,
      '6ba7b810-9dad-11d1-80b4-00c04fd430c8'::UUID AS uuid, 'b'::ENUM ('a', 'b') AS choice, '101'::BIT AS bits`);
    expect(rows).toEqual([
      [
        9007199254740991,
        '9007199254740993',
        '170141183460469231731687303715884105727',
        '1.10',
        'NaN',
        '-Infinity',
        0.30000000000000004,
        '2024-02-29',
        '2024-01-02 03:04:05.123456',
        '2024-01-02 01:04:05+00',
        '3 days',
        '01:02:03',
        [1, null],
        { a: 1, b: { c: 'x' } },
        [{ key: 'k', value: 5 }],
        '{"z": [1]}',
        'AP8=',
        true,
        null,
        'ä🚢',
        '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
        'b',
        '101',
      ],
    ]);
    expect(columns.find(({ name }) => name === 'json')?.type).toBe('JSON');
  });

  it.each([
    ['SELECT 1 AS a, 2 AS a', [[1, 2]]],
    ['SELECT 1; -- done', [[1]]],
    ['SELECT 1 -- no line break at the end', [[1]]],
    ['VALUES (1), (2)', [[1], [2]]],
    ['WITH x AS (SELECT 7 AS n) SELECT n FROM x', [[7]]],
    ['SELECT * FROM range(2)', [[0], [1]]],
    ['SELECT unnest([3, 4])', [[3], [4]]],
    ["SELECT code FROM t WHERE name LIKE 'D%'", [['DE']]],
    ['SELECT column_name FROM (DESCRIBE t)', [['code'], ['name']]],
    [
      'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r WHERE n < 3) FROM r',
      [[1], [2], [3]],
    ],
    [
      "SELECT * FROM (PIVOT t ON code IN ('DE') USING count(*)) ORDER BY name",
      [
        ['Deutschland', 1],
        ['Frankreich; Europa', 0],
      ],
    ],
  ])('runs %s', async (sql, rows) => {
    expect((await select(sql)).rows).toEqual(rows);
  });

  it('cuts texts that are too long to return, and says so', async () => {
    const { rows, clipped } = await select("SELECT repeat('🚢', 20001), repeat('x', 20000)");
    expect(clipped).toBe(1);
    expect(rows[0]?.[0]).toBe(`${'🚢'.repeat(20_000)}…`);
    expect(rows[0]?.[1]).toBe('x'.repeat(20_000));
  });

  it('returns at most a mebibyte', async () => {
    const result = await select("SELECT repeat('x', 10000) FROM range(100)");
    expect(result.truncated).toBe(false);
    const large = await query({
      sql: "SELECT repeat('x', 10000) FROM range(1000)",
      files: { t: 'names.csv' },
      max_rows: 1_000,
    });
    expect(large.truncated).toBe(true);
    expect(JSON.stringify(large.rows).length).toBeLessThanOrEqual(1_048_576 + 1_000);
  });
});

describe('data_query answers bad input with an error that helps', () => {
  it.each<[string, unknown, string]>([
    ['an empty file', 'empty.csv', 'empty.csv is empty'],
    ['a row with too many fields', 'extra.csv', 'CSV Error on Line: 3'],
    ['a row with too few fields', 'few.csv', 'CSV Error on Line: 3'],
    ['an open quote', 'quote.csv', 'unterminated quote'],
    ['another encoding', 'latin.csv', 'is not utf-8 encoded. Set the encoding of the file.'],
    ['broken JSON', 'broken.jsonl', 'Malformed JSON in file "broken.jsonl", at byte 7 in line 3'],
    ['an image called CSV', 'picture.csv', 'picture.csv is a binary file, not csv'],
    ['a workbook called CSV', 'book.csv', 'an Excel workbook?'],
    ['text called Parquet', 'text.parquet', 'text.parquet is not a Parquet file'],
    ['a broken Parquet file', 'cut.parquet', 'cut.parquet'],
    ['CSV read as JSON', { path: 'orders.csv', format: 'json' }, 'Malformed JSON'],
    ['a name that does not tell', 'table.txt', 'its name does not tell the format'],
    ['an option that does not fit', { path: 'list.json', skip: 1 }, 'skip is for CSV files only'],
    ['a missing file', 'none.csv', 'none.csv does not exist'],
  ])('%s', async (_what, file, message) => {
    const run = select('SELECT * FROM t', file);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toBeInstanceOf(ToolError);
  });

  it.each([
    ['a typing error', 'SELEC 1', 'the SQL can not be parsed: syntax error at or near "SELEC"'],
    ['an unknown column', 'SELECT nope FROM t', 'Referenced column "nope" not found'],
    ['an unknown table', 'SELECT * FROM u', 'there is no table "u"; the tables are "t"'],
    ['a file in place of a table', 'FROM "names.csv"', 'there is no table "names.csv"'],
    ['types that do not fit', 'SELECT code + 1 FROM t', 'might need to add explicit type casts.'],
    ['an error of its own', "SELECT error('stop')", 'stop'],
    ['a value that does not fit', "SELECT 'x'::INT FROM t", "Could not convert string 'x' to INT"],
    ['two statements', 'SELECT 1; SELECT 2', 'sql must be one statement, not 2'],
    ['a PIVOT on its own', 'PIVOT t ON code USING count(*)', 'only SELECT statements are allowed'],
    ['a deep expression', `SELECT ${'['.repeat(500)}1${']'.repeat(500)}`, 'depth limit of 200'],
    ['a deeper one', `SELECT ${'NOT '.repeat(10_000)}true`, 'the SQL can not be parsed'],
  ])('%s', async (_what, sql, message) => {
    const run = select(sql);
    await expect(run).rejects.toThrow(message);
    await expect(run).rejects.toBeInstanceOf(ToolError);
  });

  it("numbers the lines of the caller's statement", async () => {
    await expect(select('SELECT code,\n  nope\nFROM t')).rejects.toThrow(/LINE 2: {3}nope/);
  });

  it('does not show where files are', async () => {
    const errors = await Promise.all(
      ['extra.csv', 'broken.jsonl', 'cut.parquet'].map((file) =>
        select('FROM t', file).catch((error: unknown) => String(error)),
      ),
    );
    for (const error of errors) {
      expect(error).toContain('Error');
      expect(error).not.toContain('/proc/');
      expect(error).not.toContain(workspace.root);
    }
  });

  it.each([
    { sql: 'SELECT 1' },
    { sql: 'SELECT 1', files: {} },
    { sql: '', files: { t: 'names.csv' } },
    { sql: 'SELECT 1', files: { 't; DROP': 'names.csv' } },
    { sql: 'SELECT 1', files: { t: { path: 'names.csv', sep: ';' } } },
    { sql: 'SELECT 1', files: { t: 'names.csv' }, max_rows: 0 },
    { sql: 'SELECT 1', files: seventeen },
  ])('arguments such as number %#', async (input) => {
    await expect(query(input)).rejects.toBeInstanceOf(ToolSchemaError);
  });
});

describe('a long query', () => {
  const endless = 'SELECT count(*) FROM t a, range(10000000) b WHERE a.id + b.range = -1';
  const files = { t: 'orders.csv' };

  it('ends when it is cancelled', async () => {
    const run = startTool(
      workspace.tool('data_query'),
      { sql: endless, files },
      { onProgress: () => run.abort(new Error('cancelled')) },
    );
    await expect(run.output).rejects.toThrow('cancelled');
  });

  it('does not start when it was cancelled before', async () => {
    const signal = AbortSignal.abort(new Error('too late'));
    const run = startTool(workspace.tool('data_query'), { sql: endless, files }, { signal });
    await expect(run.output).rejects.toThrow('too late');
  });

  it.each([
    'SELECT len(range(1000000000))',
    "SELECT length(repeat('x', 4000000000))",
    "SELECT length(string_agg(repeat('x', 1000000), '')) FROM range(3000)",
    'SELECT len(list(range)) FROM range(300000000)',
  ])('that needs too much memory is an error and nothing worse: %s', async (sql) => {
    const run = select(sql);
    await expect(run).rejects.toBeInstanceOf(ToolError);
    await expect(run).rejects.toThrow(/Out of Memory|for lack of memory/);
  });

  it('waits when two others run, and leaves the line when it is cancelled', async () => {
    const tool = workspace.tool('data_query');
    const running = await Promise.all(
      [1, 2].map(
        () =>
          new Promise<ReturnType<typeof startTool>>((resolve) => {
            const run = startTool(
              tool,
              { sql: endless, files },
              { onProgress: () => resolve(run) },
            );
          }),
      ),
    );
    const third = startTool(tool, { sql: 'SELECT 3', files });
    const fourth = startTool(tool, { sql: 'SELECT 4', files });
    expect(third.statusMessages).toEqual(['waiting for other queries of this worker to end']);
    third.abort(new Error('changed my mind'));
    await expect(third.output).rejects.toThrow('changed my mind');
    const ends = running.map((run) => expect(run.output).rejects.toThrow('make room'));
    for (const run of running) run.abort(new Error('make room'));
    await Promise.all(ends);
    await expect(fourth.output).resolves.toMatchObject({ rows: [[4]] });
  });

  it('runs beside others without mixing results', async () => {
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        select(`SELECT ${n}, sum(range) FROM range(${(n + 1) * 100_000})`),
      ),
    );
    expect(results.map(({ rows }) => rows)).toEqual(
      Array.from({ length: 6 }, (_, n) => {
        const count = (n + 1) * 100_000;
        return [[n, (count * (count - 1)) / 2]];
      }),
    );
  });
});
