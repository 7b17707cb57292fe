import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Engine } from '../src/engine/engine.ts';
import { createPartition, findPartitions, WHOLE } from '../src/split/partitions.ts';

let engine: Engine;
let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longshore-partitions-'));
  engine = await Engine.start({
    signal: new AbortController().signal,
    descriptors: [],
    temporaryDirectory: directory,
  });
  await engine.execute("SET TimeZone='UTC'");
});

afterAll(async () => {
  await engine.close();
  await rm(directory, { recursive: true, force: true });
});

const rowsOf = async (sql: string): Promise<unknown[][]> =>
  (await engine.query({ sql, values: [], maxRows: 10, maxLength: 10_000 })).rows;

describe('partitions', () => {
  it.each([
    ['DOUBLE', ["'NaN'", '0.1', '1e300', "'-inf'", '-0.1']],
    ['FLOAT', ['0.1', '16777216']],
    ['DECIMAL(20,10)', ['0.1', '-3.0000000001', '5']],
    ['DATE', ["'2026-01-01'", "'0044-03-15 (BC)'", "'infinity'"]],
    ['TIMESTAMPTZ', ["'2026-01-01 12:00:00+02'", "'2026-01-01 10:00:00.000001+00'"]],
    ['TIMESTAMP_NS', ["'2026-01-01 12:00:00.123456789'", "'2026-01-01 00:00:00'"]],
    ['TIMETZ', ["'12:00:00+02'", "'12:00:00+00'"]],
    ['BLOB', ["'\\xAA\\x00'", "'abc'"]],
    ['BIT', ["'0101'", "'1'"]],
    ['INTERVAL', ["'40 days'", "'1 month 1 second'"]],
    ['UUID', ["'0b6f2c1e-0000-4000-8000-000000000000'"]],
    ["ENUM('it''s', 'b')", ["'it''s'", "'b'"]],
    ['VARCHAR', ["''", "'a' || chr(0) || 'b'", "'a'", "e'\\n'", "'NULL'", "'x''; DROP VIEW data'"]],
    ['BOOLEAN', ['true', 'false']],
    ['HUGEINT', ['170141183460469231731687303715884105727', '-1']],
  ])('of type %s hold each row once', async (type, values) => {
    const rows = [...values, 'NULL'].map(
      (value, id) => `SELECT ${id} AS id, (${value})::${type} AS v`,
    );
    await engine.execute(`CREATE OR REPLACE VIEW ${WHOLE} AS ${rows.join(' UNION ALL ')}`);
    const partitions = await findPartitions(engine, ['v']);
    const found: unknown[] = [];
    for (const { texts } of partitions) {
      await createPartition(engine, ['v'], texts);
      found.push(await rowsOf('SELECT id FROM data'));
      await engine.execute('DROP VIEW data');
    }
    const ids = Array.from(rows, (_row, id) => [[id]]);
    expect(found).toHaveLength(ids.length);
    expect(found).toEqual(expect.arrayContaining(ids));
    expect(partitions.at(-1)).toEqual({ shown: [null], texts: [null] });
  });

  it('are in the order of their values', async () => {
    await engine.execute(
      `CREATE OR REPLACE VIEW ${WHOLE} AS SELECT (i * 7 % 12)::INT AS n, i % 2 = 0 AS even FROM range(100) r(i)`,
    );
    const numbers = (await findPartitions(engine, ['even', 'n'])).map(({ shown }) => shown);
    expect(numbers.slice(0, 2)).toEqual([
      [false, 1],
      [false, 3],
    ]);
    expect(numbers).toHaveLength(12);
  });

  it('are 1,000 at most', async () => {
    const view = (count: number) =>
      engine.execute(`CREATE OR REPLACE VIEW ${WHOLE} AS SELECT i FROM range(${count}) r(i)`);
    await view(1_000);
    expect(await findPartitions(engine, ['i'])).toHaveLength(1_000);
    await view(1_001);
    await expect(findPartitions(engine, ['i'])).rejects.toThrow('more than 1000 partitions');
  });

  it('have no values too long to pass on', async () => {
    await engine.execute(
      `CREATE OR REPLACE VIEW ${WHOLE} AS SELECT repeat('x', 400000) || i AS v FROM range(3) r(i)`,
    );
    await expect(findPartitions(engine, ['v'])).rejects.toThrow('too long to split by');
  });
});
