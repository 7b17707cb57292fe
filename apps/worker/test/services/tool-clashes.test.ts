import { expect, it } from '@jest/globals';
import { type OfferedVersions, silentLogger } from '@longshore/core';
import { warnOfClashes } from '../../src/services/tool-clashes.ts';

async function warnings(differing: () => Promise<readonly OfferedVersions[]>): Promise<string[]> {
  const said: string[] = [];
  const log = {
    ...silentLogger,
    warn: (_fields: object, message: string) => void said.push(message),
  };
  await warnOfClashes({ catalogue: { differing }, tools: ['mine', 'shared'], leaseMs: 1_000, log });
  return said;
}

const two = ['a', 'b'];

it('warns of a tool that another plugin has as well, and of nothing that is an upgrade or not ours', async () => {
  const said = await warnings(async () => [
    { name: 'mine', plugins: ['a'], versions: ['a 1', 'a 2'] },
    { name: 'shared', plugins: two, versions: ['a 1', 'b 1'] },
    { name: 'foreign', plugins: two, versions: ['a 1', 'b 1'] },
  ]);
  expect(said).toEqual([
    "two plugins offer a tool 'shared', and clients see one of them: rename one, or load only one",
  ]);
});

it('is no reason to fail', async () => {
  expect(await warnings(() => Promise.reject(new Error('away')))).toEqual([]);
});
