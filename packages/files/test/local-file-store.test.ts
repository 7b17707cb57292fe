import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { describeFileStore } from '@longshore/testing/suites';
import { LocalFileStore } from '../src/index.ts';

let directory: string;
let store: LocalFileStore;

beforeAll(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'longshore-files-'));
  store = new LocalFileStore(path.join(directory, 'store'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describeFileStore('a local directory', () => ({ store, largeBytes: 1_000_001 }));

it('leaves nothing in its directory of files that were given up, or deleted', async () => {
  const own = new LocalFileStore(path.join(directory, 'own'));
  const { signal } = new AbortController();
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    throw new Error('failed');
  };
  await expect(own.write('aa-given-up', failing(), signal)).rejects.toThrow('failed');
  await own.write('aa-deleted', (async function* () {})(), signal);
  await own.delete('aa-deleted');
  expect(await readdir(path.join(directory, 'own', 'aa'))).toEqual([]);
});

it('deletes what a process that was killed left of a file', async () => {
  const own = new LocalFileStore(path.join(directory, 'killed'));
  const { signal } = new AbortController();
  await own.write('bb-other', (async function* () {})(), signal);
  await writeFile(path.join(directory, 'killed', 'bb', 'bb-half.part'), 'half');
  await own.delete('bb-half');
  expect(await readdir(path.join(directory, 'killed', 'bb'))).toEqual(['bb-other']);
});
