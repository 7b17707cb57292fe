import { describe, expect, it } from '@jest/globals';
import { ALL_CHECKS } from '../src/checks/all-checks.ts';
import type { CheckResult } from '../src/run/report.ts';
import { QUIRKS } from './faults/quirks.ts';
import { checksThat, ONLY_WITHOUT_CREDENTIALS, runMini } from './support/run-mini.ts';

/** What can only be judged when it is seen in time is skipped where a busy machine sees it too late. */
const SEEN_IN_TIME = [
  ...['tasks-ttl-not-early', 'tasks-transitions', 'tasks-status-notification-full'],
  ...['cancellation-not-for-tasks/result', 'cancellation-not-for-tasks/call'],
  ...['progress-original-token', 'progress-increases', 'progress-stops'],
  'tasks-related-task/progress',
];

const expectSkipped = (results: readonly CheckResult[], expected: readonly string[]): void => {
  const found = checksThat(results, 'skipped');
  const byChance = SEEN_IN_TIME.filter((check) => !expected.includes(check));
  expect(found.filter((check) => !byChance.includes(check))).toEqual(expected.toSorted());
};

describe('a server that does what is asked', () => {
  it('passes every check', async () => {
    const report = await runMini();
    expect(report.results.filter(({ status }) => status !== 'passed')).toEqual([]);
    expect(report.results.map(({ check }) => check)).toEqual(ALL_CHECKS.map(({ id }) => id));
    expect(report).toMatchObject({
      server: { name: 'mini', version: '1.0.0' },
      protocolVersion: '2025-11-25',
      passed: true,
      counts: { passed: ALL_CHECKS.length, failed: 0, warning: 0, skipped: 0 },
    });
  });

  it('passes with credentials, but for what is about servers without', async () => {
    const report = await runMini({ credentials: true });
    expectSkipped(report.results, ONLY_WITHOUT_CREDENTIALS);
    expect(report.counts).toMatchObject({ failed: 0, warning: 0 });
  });
});

it('stops when it is told to', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const onProgress = (): void => abort.abort(reason);
  await expect(runMini({ more: { signal: abort.signal, onProgress } })).rejects.toBe(reason);
});

describe('a server does right that', () => {
  // A third of the checks each time, others with every quirk, and those that are to be skipped.
  it.each(QUIRKS.map((quirk, index) => [quirk.name, quirk, index] as const))(
    '%s',
    async (_, quirk, index) => {
      const skips: readonly string[] = quirk.skips;
      const only = ALL_CHECKS.map(({ id }) => id).filter(
        (id, position) => position % 3 === index % 3 || skips.includes(id),
      );
      const report = await runMini({ behaviour: quirk, more: { only } });
      const found = report.results.filter(({ status }) => ['failed', 'warning'].includes(status));
      expect(found).toEqual([]);
      expectSkipped(report.results, skips);
    },
  );
});
