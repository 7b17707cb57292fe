import { describe, expect, it } from '@jest/globals';
import { silentLogger } from '@longshore/core';
import { ToolVersions } from '../../src/attempts/tool-versions.ts';
import { testAttempt } from '../bench/test-attempt.ts';

const claimFor = (toolFingerprint: string | null) => testAttempt({ toolFingerprint }).claim;
const asked: unknown[][] = [];
const versions = (answer: () => Promise<string | null>) =>
  new ToolVersions({
    catalogue: {
      versionToRun: (...args) => {
        asked.push(args);
        return answer();
      },
    },
    leaseMs: 7,
    log: silentLogger,
  });

describe('ToolVersions', () => {
  it('asks nobody about a task of its own version, or of none', async () => {
    const unasked = versions(() => Promise.reject(new Error('not expected')));
    asked.length = 0;
    expect(await unasked.isOurs(claimFor(null), 'own')).toBe(true);
    expect(await unasked.isOurs(claimFor('own'), 'own')).toBe(true);
    expect(asked).toEqual([]);
  });

  it('runs a task of another version when that one is gone and its own the newest', async () => {
    asked.length = 0;
    expect(await versions(async () => 'own').isOurs(claimFor('other'), 'own')).toBe(true);
    expect(asked).toEqual([['tool', 'other', 7]]);
    expect(await versions(async () => null).isOurs(claimFor('other'), 'own')).toBe(true);
  });

  it('leaves it to the version it is for, or to a newer one, and while nobody can say', async () => {
    expect(await versions(async () => 'other').isOurs(claimFor('other'), 'own')).toBe(false);
    expect(await versions(async () => 'newer').isOurs(claimFor('other'), 'own')).toBe(false);
    const failing = versions(() => Promise.reject(new Error('no database')));
    expect(await failing.isOurs(claimFor('other'), 'own')).toBe(false);
  });
});
