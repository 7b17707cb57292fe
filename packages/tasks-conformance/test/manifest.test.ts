import { describe, expect, it } from '@jest/globals';
import { ALL_CHECKS } from '../src/checks/all-checks.ts';
import { REQUIREMENTS, requirementOf } from '../src/manifest/requirements.ts';
import { ALL_FAULTS } from './faults/all-faults.ts';

const twice = (ids: readonly string[]): string[] =>
  ids.filter((id, index) => ids.indexOf(id) !== index);

describe('the manifest', () => {
  const ids = REQUIREMENTS.map(({ id }) => id);

  it('has no id twice', () => {
    expect(twice(ids)).toEqual([]);
  });

  it.each(REQUIREMENTS.map((requirement) => [requirement.id, requirement] as const))(
    'says of %s where it stands, and why when it is not checked',
    (_, { section, sentence, checkable, reason }) => {
      expect(section).toMatch(/^(schema|(basic|client|server)\/[a-z/-]+)#[a-z0-9-]+$/);
      expect(sentence.trim()).not.toBe('');
      expect(reason === undefined).toBe(checkable);
    },
  );

  it('has a check for every requirement that is checkable, and for no other', () => {
    const cited = new Set(ALL_CHECKS.map(({ verifies }) => verifies));
    const checkable = REQUIREMENTS.filter((requirement) => requirement.checkable);
    expect([...cited].sort()).toEqual(checkable.map(({ id }) => id).sort());
  });

  it('knows nothing of a requirement that is not in it', () => {
    // @ts-expect-error: the type knows the ids
    expect(() => requirementOf('tasks-no-such-thing')).toThrow('no requirement');
  });
});

describe('the checks', () => {
  it('have no id twice', () => {
    expect(twice(ALL_CHECKS.map(({ id }) => id))).toEqual([]);
  });

  it.each(ALL_CHECKS.map((check) => [check.id, check] as const))(
    '%s is named after its requirement, and by more where that has several',
    (id, { verifies }) => {
      const isOnly = ALL_CHECKS.filter((check) => check.verifies === verifies).length === 1;
      expect(isOnly ? id === verifies : id.startsWith(`${verifies}/`)).toBe(true);
    },
  );

  it('each find a fault', () => {
    const finders = new Set(ALL_FAULTS.flatMap(({ found }) => found));
    expect([...finders].sort()).toEqual(ALL_CHECKS.map(({ id }) => id).sort());
  });
});

describe('the faults', () => {
  it('have no name twice', () => {
    expect(twice(ALL_FAULTS.map(({ name }) => name))).toEqual([]);
  });

  it.each(ALL_FAULTS.map((fault) => [fault.name, fault] as const))(
    '"%s" is found by checks of the requirement it breaks',
    (_, { breaks, found }) => {
      const verified = found.map((id) => ALL_CHECKS.find((check) => check.id === id)?.verifies);
      expect(new Set(verified)).toEqual(new Set([breaks]));
    },
  );
});
