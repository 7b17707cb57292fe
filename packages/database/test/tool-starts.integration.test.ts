import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { describeToolStarts } from '@longshore/testing/suites';
import { type Database, openDatabase } from '../src/index.ts';
import { takeToolStart } from '../src/statements/take-tool-start.ts';
import { createExplainRunner } from './fixtures/explain-runner.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;
let replica: Database;

beforeAll(async () => {
  stores = await openTestStores();
  replica = openDatabase({ url: stores.url, log: silentLogger });
});
afterAll(async () => {
  await replica.close();
  await stores.drop();
});

describeToolStarts('Postgres', async () => [stores.toolStarts, replica.toolStarts]);

it('finds the count of a tool by its index', async () => {
  await stores.sql(
    `INSERT INTO tool_starts SELECT 'tool-' || n, 1, now() + interval '1 min'
     FROM generate_series(1, 10000) AS n`,
  );
  await stores.sql('ANALYZE tool_starts');
  const explainer = createExplainRunner(stores.url);
  try {
    const reading = await explainer.explain((runner) =>
      takeToolStart(runner, 'tool-7', { starts: 1, perMs: 60_000 }),
    );
    expect([...reading.scans].filter((scan) => scan.includes('tool_starts'))).toEqual([
      'tool_starts by tool_starts_pkey',
    ]);
    expect(reading.rowsRead).toBeLessThanOrEqual(5);
  } finally {
    await explainer.close();
  }
});
