import { describe, expect, it } from '@jest/globals';
import { ALL_CHECKS } from '../../src/checks/all-checks.ts';
import type { RequirementId } from '../../src/manifest/requirements.ts';
import { countStatuses, type Judgement, judge } from '../../src/run/report.ts';
import type { Observation, Seen } from '../../src/run/run-check.ts';

const LENIENT: Judgement = { strict: false, requireAll: false };
const MUST = 'tasks-result-terminal';
const OTHER_MUST = 'tasks-cancel-first';
const SHOULD = 'tasks-max-ttl';

function observe(id: string, seen: Seen): Observation {
  const check = ALL_CHECKS.find((each) => each.id === id);
  if (check === undefined) throw new Error(`no check ${id}`);
  return { check, seen, durationMs: 1 };
}
const broken = (requirement: RequirementId | null): Seen => ({
  kind: 'broken',
  requirement,
  message: 'why',
});
const statuses = (observations: readonly Observation[], how: Judgement = LENIENT): string[] =>
  judge(observations, how).map(({ check, status, requirement, message }) =>
    [check, status, requirement, message].join(' | '),
  );

describe('judge', () => {
  it('passes what is kept, fails a MUST, warns of a SHOULD', () => {
    expect(
      statuses([
        observe(MUST, { kind: 'kept' }),
        observe(OTHER_MUST, broken(null)),
        observe(SHOULD, broken(null)),
      ]),
    ).toEqual([
      `${MUST} | passed | ${MUST} | `,
      `${OTHER_MUST} | failed | ${OTHER_MUST} | why`,
      `${SHOULD} | warning | ${SHOULD} | why`,
    ]);
  });

  it('fails a SHOULD when it is strict', () => {
    expect(statuses([observe(SHOULD, broken(null))], { ...LENIENT, strict: true })).toEqual([
      `${SHOULD} | failed | ${SHOULD} | why`,
    ]);
  });

  it('skips a check that stumbled over what another check found broken', () => {
    const stumbled = observe(OTHER_MUST, broken(MUST));
    expect(statuses([stumbled, observe(MUST, broken(null))])).toEqual([
      `${OTHER_MUST} | skipped | ${OTHER_MUST} | needs ${MUST}: why`,
      `${MUST} | failed | ${MUST} | why`,
    ]);
  });

  it('fails for what a check stumbled over when nobody else found it', () => {
    const stumbled = observe(OTHER_MUST, broken(MUST));
    expect(statuses([stumbled, observe(MUST, { kind: 'kept' })])).toEqual([
      `${OTHER_MUST} | failed | ${MUST} | why`,
      `${MUST} | passed | ${MUST} | `,
    ]);
    expect(statuses([observe(OTHER_MUST, broken(SHOULD))])).toEqual([
      `${OTHER_MUST} | warning | ${SHOULD} | why`,
    ]);
  });

  it('fails what could not be done when all is required', () => {
    const observations = [
      observe(MUST, { kind: 'skipped', reason: 'no tool' }),
      observe(SHOULD, broken(OTHER_MUST)),
      observe(OTHER_MUST, broken(null)),
    ];
    expect(countStatuses(judge(observations, LENIENT))).toEqual({
      passed: 0,
      failed: 1,
      warning: 0,
      skipped: 2,
    });
    expect(statuses(observations, { ...LENIENT, requireAll: true })).toEqual([
      `${MUST} | failed | ${MUST} | no tool`,
      `${SHOULD} | failed | ${SHOULD} | needs ${OTHER_MUST}: why`,
      `${OTHER_MUST} | failed | ${OTHER_MUST} | why`,
    ]);
  });
});
