import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type PrincipalId, silentLogger } from '@longshore/core';
import { describeToolStarts } from '@longshore/testing/suites';
import { type Database, openDatabase } from '../src/index.ts';
import { takeToolStart } from '../src/statements/take-tool-start.ts';
import { createExplainRunner } from './fixtures/explain-runner.ts';
import { newPrincipalId } from './fixtures/task-factory.ts';
import { openTestStores, type TestStores } from './fixtures/test-stores.ts';

let stores: TestStores;

beforeAll(async () => {
  stores = await openTestStores();
});
afterAll(() => stores.drop());

describe('requests', () => {
  const add = async (principalId: PrincipalId, requests: number) =>
    (await stores.requestCounts.add(new Map([[principalId, requests]]))).get(principalId);
  const endWindow = (principalId: PrincipalId) =>
    stores.sql('UPDATE request_counts SET window_ends_at = now() WHERE principal_id = $1', [
      principalId,
    ]);

  it('counts by principal, in a minute from the first request', async () => {
    const [ada, bob] = [newPrincipalId(), newPrincipalId()];
    expect(await add(ada, 3)).toMatchObject({ requests: 3 });
    const windows = await stores.requestCounts.add(
      new Map([
        [bob, 1],
        [ada, 4],
      ]),
    );
    expect(windows.get(ada)).toMatchObject({ requests: 7 });
    expect(windows.get(bob)).toMatchObject({ requests: 1 });
    const [a, b] = [windows.get(ada)?.endsInMs ?? 0, windows.get(bob)?.endsInMs ?? 0];
    expect(a).toBeGreaterThan(0);
    // The window goes on with the second request, it does not begin anew.
    expect(a).toBeLessThan(b);
    // Instants of the table are whole milliseconds, what is left of the window is not.
    expect(b).toBeLessThanOrEqual(60_001);
  });

  it('begins anew when the minute is over', async () => {
    const ada = newPrincipalId();
    await add(ada, 5);
    await endWindow(ada);
    expect(await add(ada, 2)).toMatchObject({ requests: 2 });
  });

  it('adds up what several processes count at once', async () => {
    const principals = Array.from({ length: 20 }, newPrincipalId);
    const replicas = [1, 2, 3].map(() => openDatabase({ url: stores.url, log: silentLogger }));
    await Promise.all(
      replicas.flatMap(({ requestCounts }, replica) => {
        const order = replica === 1 ? principals.toReversed() : principals;
        return [1, 2, 3].map(() => requestCounts.add(new Map(order.map((id) => [id, 2]))));
      }),
    );
    for (const id of principals) expect(await add(id, 1)).toMatchObject({ requests: 19 });
    await Promise.all(replicas.map((replica) => replica.close()));
  });

  it('deletes what has ended, once a minute, and nothing else', async () => {
    const [old, current] = [newPrincipalId(), newPrincipalId()];
    await add(old, 1);
    await endWindow(old);
    await add(current, 1);
    const left = async () =>
      stores.sql('SELECT principal_id AS id FROM request_counts WHERE principal_id = ANY ($1)', [
        [old, current],
      ]);
    expect(await left()).toHaveLength(2);
    // A process that has just begun has not deleted anything yet.
    const fresh = openDatabase({ url: stores.url, log: silentLogger });
    await fresh.requestCounts.add(new Map([[current, 1]]));
    await fresh.close();
    expect(await left()).toEqual([{ id: current }]);
  });
});

describe('starts of tools', () => {
  let replica: Database;

  beforeAll(async () => {
    replica = openDatabase({ url: stores.url, log: silentLogger });
  });
  afterAll(async () => {
    await replica.close();
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
});
