import path from 'node:path';
import { expect, it } from '@jest/globals';
import { describeWithRedis } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';

const MAIN = path.join(import.meta.dirname, '../chaos/dist/main.js');

/**
 * A seed whose first 45 seconds have faults of all eleven kinds, two kills of APIs and four of workers among
 * them, and workers that are frozen for longer than a lease: some thirty attempts are lost, on a busy machine too.
 */
const ARGUMENTS = ['--seed', '1839', '--minutes', '0.75', '--fault-every', '2', '--rate', '8'];
const FAULT_KINDS = 11;

/** The load, and as much again twice, for a slow machine that starts, settles and is looked at. */
const TIMEOUT_MS = 300_000;

describeWithRedis('the whole system under load and faults', () => {
  it(
    'loses, doubles and mistakes nothing, leaks nothing, and shows nobody another’s task',
    async () => {
      const run = await spawnProcess(process.execPath, [MAIN, ...ARGUMENTS]);
      const { code } = await run.exited;
      const printed = run.lines
        .filter((line) => line.startsWith('{'))
        .map((line): Record<string, unknown> => JSON.parse(line));
      const violations = printed.filter(({ type }) => type === 'violation');
      expect(violations).toEqual([]);
      const summary = printed.at(-1);
      if (summary?.['type'] !== 'summary') throw new Error(run.logs());
      expect(summary).toMatchObject({ seed: 1839, lost: 0, doubled: 0, wrong: 0, violations: 0 });
      expect(summary).toMatchObject({ neverSent: 0 });
      expect(code).toBe(0);
      // It did happen.
      expect(Object.keys(Object(summary['faultsByKind']))).toHaveLength(FAULT_KINDS);
      expect(summary['tasks']).toBeGreaterThan(300);
      expect(summary['lostAttempts']).toBeGreaterThan(0);
      expect(summary['lostConnections']).toBeGreaterThan(0);
      expect(summary['foreignLooks']).toBeGreaterThan(50);
    },
    TIMEOUT_MS,
  );
});
