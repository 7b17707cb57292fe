import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { loadPlugin } from '@longshore/plugin/host';
import { readResource, runPrompt, runTool, testHost } from '@longshore/plugin/testing';
import { testChecksums } from './fixtures/check-checksums.ts';
import { testDeleteFiles } from './fixtures/check-delete-files.ts';
import * as checksums from './fixtures/checksums.ts';
import * as copyPlugin from './fixtures/copy-plugin.ts';
import * as deleteFiles from './fixtures/delete-files.ts';
import { dice } from './fixtures/dice.ts';
import { geocode } from './fixtures/geocode.ts';
import { multiples } from './fixtures/multiples.ts';
import { primes } from './fixtures/primes.ts';
import * as releaseNotes from './fixtures/release-notes.ts';

const here = import.meta.dirname;

/** In the order in which README.md shows them. */
const FIXTURES = [
  'checksums',
  'check-checksums',
  'multiples',
  'delete-files',
  'check-delete-files',
  'release-notes',
  'geocode',
  'guarded-tools',
  'primes',
  'copy-plugin',
  'page-titles',
  'dice',
];

it('shows the code that is tested here', async () => {
  const readme = await readFile(join(here, '../README.md'), 'utf8');
  const blocks = [...readme.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code]) => code);
  const files = await Promise.all(
    FIXTURES.map((name) => readFile(join(here, `fixtures/${name}.ts`), 'utf8')),
  );
  expect(blocks).toEqual(files);
});

it('shows a tool that works, and its test', async () => {
  const { tools } = loadPlugin(checksums, testHost());
  expect(tools.map(({ name }) => name)).toEqual(['checksums']);
  await testChecksums();
});

it('shows a tool with a rate', () => {
  expect(geocode.policy).toMatchObject({
    queue: 'geocoder',
    concurrency: 4,
    rate: { starts: 10, perMs: 60_000 },
  });
});

it('shows a tool with a card of its own', async () => {
  expect(dice.ui?.html).toContain('<title>Dice</title>');
  expect((await runTool(dice, { count: 2 })).output.rolled).toHaveLength(2);
});

it('shows a tool that writes a file', async () => {
  const { files } = await runTool(multiples, { of: 7, count: 3 });
  expect(files.get('multiples.csv')?.text).toBe('1,7\n2,14\n3,21\n');
});

it('shows a tool that asks, and its test', async () => {
  const [tool] = loadPlugin(deleteFiles, testHost()).tools;
  expect(tool).toMatchObject({ requires: ['elicitation'], policy: { asksFirst: true } });
  await testDeleteFiles();
});

it('shows a prompt and a resource', async () => {
  const { prompts, resources } = loadPlugin(releaseNotes, testHost());
  expect([prompts.length, resources.length]).toEqual([1, 1]);
  const { output } = await runPrompt(releaseNotes.summarize, { version: '1.0' });
  expect(JSON.stringify(output)).toContain('what is new in 1.0: The first one.');
  const { contents } = await readResource(releaseNotes.notes, 'releases://1.0/notes');
  expect(contents).toMatchObject([{ text: 'The first one.', mimeType: 'text/markdown' }]);
  expect((await readResource(releaseNotes.notes, 'releases://2.0/notes')).contents).toBeNull();
});

it('shows a tool that computes', async () => {
  expect(primes.policy.isolate).toBe('thread');
  expect((await runTool(primes, { below: 100 })).output).toEqual({ primes: 25 });
});

it('shows a plugin that copies a file', async () => {
  const directory = await realpath(await mkdtemp(join(tmpdir(), 'longshore-readme-')));
  try {
    await writeFile(join(directory, 'a.txt'), 'ahoy');
    const host = testHost({ directories: [directory], dataDir: join(directory, 'out') });
    const [copy] = loadPlugin(copyPlugin, host).tools;
    if (copy === undefined) throw new Error('the plugin has no tool');
    const { output } = await runTool(copy, { path: 'a.txt', save_as: 'b.txt' });
    expect(output).toMatch(/^copied 4 bytes to .*b\.txt$/);
    const again = await runTool(copy, { path: String(output).split(' to ')[1], save_as: 'c.txt' });
    expect(again.output).toMatch(/^copied 4 bytes/);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
