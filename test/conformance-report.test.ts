import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';

/*
 * `npm run conformance` must not pass by accident: whatever did not run counts as failed.
 */

interface Check {
  readonly check: string;
  readonly status: string;
  readonly message: string;
}
interface Result {
  readonly run: string;
  readonly scenario: string;
  readonly checks: readonly Check[];
}
type Excuse = Readonly<Record<'run' | 'scenario' | 'check' | 'status' | 'reason', string>>;

async function script<Exports>(name: string): Promise<Exports> {
  const file = path.join(import.meta.dirname, '../scripts/conformance', name);
  return (await import(pathToFileURL(file).href)) as Exports;
}

const { readResults } = await script<{
  readResults(run: string, folder: string, end: { code: number; output: string }): Result[];
}>('results.js');
const { compareWithBaseline, readBaseline } = await script<{
  compareWithBaseline(
    results: readonly Result[],
    excuses: readonly Excuse[],
  ): Record<'excused' | 'unexcused' | 'stale', readonly Partial<Excuse>[]>;
  readBaseline(): Excuse[];
}>('baseline.js');

describe('the results of a run', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'longshore-results-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  function left(scenario: string, checks: readonly unknown[] | null): void {
    const directory = path.join(folder, `server-${scenario}-2026-11-21T10-00-00-000Z`);
    mkdirSync(directory);
    if (checks === null) return;
    writeFileSync(path.join(directory, 'checks.json'), JSON.stringify(checks));
  }

  const statuses = (results: readonly Result[]) =>
    results.map(({ scenario, checks }) => [scenario, ...checks.map(({ status }) => status)]);

  it('are the checks of its scenarios, without those that inform', () => {
    left('tools-list', [
      { id: 'a', status: 'SUCCESS', description: 'is a' },
      { id: 'b', status: 'INFO', description: 'is b' },
      { id: 'c', status: 'FAILURE', description: 'is c', errorMessage: 'is not c' },
    ]);
    expect(readResults('set', folder, { code: 1, output: 'all (1 scenarios)' })).toEqual([
      {
        run: 'set',
        scenario: 'tools-list',
        checks: [
          { check: 'a', status: 'SUCCESS', message: 'is a' },
          { check: 'c', status: 'FAILURE', message: 'is not c' },
        ],
      },
    ]);
  });

  it.each([
    ['a scenario that left nothing', null, 0, 1, [['ping', 'FAILURE']]],
    ['a scenario that is missing', [], 0, 2, [['ping'], [expect.anything(), 'FAILURE']]],
    ['an exit code nobody explains', [], 1, 1, [['ping'], [expect.anything(), 'FAILURE']]],
  ])('hold a failure for %s', (_, checks, code, announced, expected) => {
    left('ping', checks);
    const results = readResults('set', folder, { code, output: `(${announced} scenarios)` });
    expect(statuses(results)).toEqual(expected);
  });

  it('hold a failure when the suite did not start', () => {
    const results = readResults('set', path.join(folder, 'none'), { code: 1, output: 'no Node' });
    expect(results[0]?.checks[0]).toMatchObject({
      status: 'FAILURE',
      message: expect.stringContaining('no Node'),
    });
  });
});

describe('the baseline', () => {
  const result = (status: string): Result => ({
    run: 'set',
    scenario: 'ping',
    checks: [{ check: 'pong', status, message: '' }],
  });
  const excuse: Excuse = {
    run: 'set',
    scenario: 'ping',
    check: 'pong',
    status: 'FAILURE',
    reason: 'out of scope',
  };

  it.each(['FAILURE', 'WARNING', 'SKIPPED'])('is asked for each %s', (status) => {
    expect(compareWithBaseline([result(status)], []).unexcused).toMatchObject([
      { scenario: 'ping', check: 'pong', status },
    ]);
  });

  it('excuses the very check, of the very run, with the very status', () => {
    const { excused, unexcused, stale } = compareWithBaseline([result('FAILURE')], [excuse]);
    expect([excused, unexcused, stale]).toEqual([
      [expect.objectContaining({ reason: 'out of scope' })],
      [],
      [],
    ]);
    const other = compareWithBaseline([{ ...result('FAILURE'), run: 'other' }], [excuse]);
    expect([other.unexcused.length, other.stale.length]).toEqual([1, 1]);
  });

  it('must not hold what passes', () => {
    expect(compareWithBaseline([result('SUCCESS')], [excuse]).stale).toEqual([excuse]);
  });

  it('gives a reason for each excuse', () => {
    for (const { reason } of readBaseline()) expect(reason.length).toBeGreaterThan(20);
  });
});
