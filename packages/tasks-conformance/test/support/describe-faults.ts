import { describe, expect, it } from '@jest/globals';
import { ALL_CHECKS } from '../../src/checks/all-checks.ts';
import { requirementOf } from '../../src/manifest/requirements.ts';
import type { CheckResult } from '../../src/run/report.ts';
import type { Fault } from '../faults/fault.ts';
import { checksThat, ONLY_WITHOUT_CREDENTIALS, runMini } from './run-mini.ts';

/** The time of a check that waits in vain. */
const VAIN_MS = 3_000;

/**
 * One in so many of the checks that have nothing to do with a fault is run against it; which ones changes
 * from fault to fault, so that each of them meets many. All of them against all faults take minutes.
 */
const BYSTANDERS = 8;

/** Runs checks against a server with each of the faults: those that are to find it do, and no other. */
export function describeFaults(faults: readonly Fault[]): void {
  describe('a server fails that', () => {
    it.each(faults.map((fault, index) => [fault.name, fault, index] as const))(
      '%s',
      async (_, fault, index) => {
        const results = await runWith(fault, index);
        const isMust = requirementOf(fault.breaks).level === 'MUST';
        const status = isMust ? 'failed' : 'warning';
        expect(
          results
            .filter((result) => isFinding(result))
            .map(summary)
            .sort(),
        ).toEqual(fault.found.map((check) => `${check}: ${status} ${fault.breaks}`).sort());
        if (fault.skips === 'any') return;
        const ran = new Set(results.map(({ check }) => check));
        const always = fault.needsCredentials === true ? ONLY_WITHOUT_CREDENTIALS : [];
        const expected = [...(fault.skips ?? []), ...always.filter((check) => ran.has(check))];
        expect(checksThat(results, 'skipped')).toEqual(expected.sort());
      },
    );
  });
}

/** Checks that wait in vain do so by themselves and not for long; the others have all the time they need. */
async function runWith(fault: Fault, index: number): Promise<readonly CheckResult[]> {
  const run = { behaviour: fault, credentials: fault.needsCredentials === true };
  const concerned: readonly string[] = [
    ...fault.found,
    ...(Array.isArray(fault.skips) ? fault.skips : []),
  ];
  const indifferent = [...concerned, ...(fault.looksLike ?? [])];
  const bystanders = ALL_CHECKS.map(({ id }) => id).filter(
    (id, position) => !indifferent.includes(id) && position % BYSTANDERS === index % BYSTANDERS,
  );
  if (fault.hangs !== true) {
    return (await runMini({ ...run, more: { only: [...concerned, ...bystanders] } })).results;
  }
  const reports = [
    await runMini({ ...run, more: { only: bystanders } }),
    await runMini({
      ...run,
      more: { only: concerned, concurrency: concerned.length },
      timeoutMs: VAIN_MS,
    }),
  ];
  return reports.flatMap(({ results }) => results);
}

const isFinding = ({ status }: CheckResult): boolean => status === 'failed' || status === 'warning';

const summary = ({ check, status, requirement }: CheckResult): string =>
  `${check}: ${status} ${requirement}`;
