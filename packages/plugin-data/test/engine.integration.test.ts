import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Engine } from '../src/engine/engine.ts';

let temporaryDirectory: string;

beforeAll(async () => {
  temporaryDirectory = await mkdtemp(join(tmpdir(), 'longshore-engine-'));
});

afterAll(() => rm(temporaryDirectory, { recursive: true, force: true }));

const start = (signal = new AbortController().signal) =>
  Engine.start({ signal, descriptors: [], temporaryDirectory });

const request = (sql: string) => ({ sql, values: [], maxRows: 10, maxLength: 10_000 });

describe('Engine', () => {
  it('goes on after a statement that failed', async () => {
    const engine = await start();
    try {
      await expect(engine.query(request('SELECT nope'))).rejects.toThrow(
        'Referenced column "nope"',
      );
      await engine.execute('CREATE TABLE t AS SELECT 42 AS n');
      await expect(engine.query(request('FROM t'))).resolves.toEqual({
        columns: [{ name: 'n', type: 'INTEGER' }],
        rows: [[42]],
        truncated: false,
      });
    } finally {
      await engine.close();
    }
  });

  it('runs one statement at a time', async () => {
    const engine = await start();
    try {
      const first = engine.query(request('SELECT 1'));
      await expect(engine.query(request('SELECT 2'))).rejects.toThrow('one statement at a time');
      await expect(first).resolves.toMatchObject({ rows: [[1]] });
    } finally {
      await engine.close();
    }
  });

  it('rejects with the reason of the abort, also between two statements', async () => {
    const controller = new AbortController();
    const engine = await start(controller.signal);
    controller.abort(new Error('cancelled'));
    await engine.close();
    await expect(engine.query(request('SELECT 1'))).rejects.toThrow('cancelled');
  });

  it('rejects once it is closed', async () => {
    const engine = await start();
    await engine.close();
    await engine.close();
    await expect(engine.query(request('SELECT 1'))).rejects.toThrow('SIGKILL');
  });
});
