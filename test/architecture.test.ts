import { describe, expect, it } from '@jest/globals';
import { circlesOf, FLOORS, stairsUp } from './architecture/floors.ts';
import { violationsOf } from './architecture/import-rules.ts';
import { readSourceFacts } from './architecture/source-facts.ts';
import { readWorkspaces, type Workspace } from './architecture/workspaces.ts';

const workspaces = readWorkspaces();

describe('the import arrows', () => {
  it.each(workspaces.map(({ directory, sources }) => [directory, sources] as const))(
    'are kept in %s',
    (_, sources) => {
      expect(sources.flatMap(violationsOf)).toEqual([]);
    },
  );

  it.each([
    ['core importing a sibling', 'packages/core/src/a.ts', `import '@longshore/config';`],
    [
      'core reading files',
      'packages/core/src/a.ts',
      `import { readFile } from 'node:fs/promises';`,
    ],
    [
      'a plugin author needing the server',
      'packages/plugin/src/a.ts',
      `export * from '@longshore/core';`,
    ],
    ['the API knowing plugins', 'apps/api/src/a.ts', `import '@longshore/plugin';`],
    [
      'database and queue meeting',
      'packages/database/src/a.ts',
      `await import('@longshore/queue');`,
    ],
    [
      'queue and database meeting',
      'packages/queue/src/a.ts',
      `import type { X } from '@longshore/database';`,
    ],
    ['an app importing an app', 'apps/worker/src/a.ts', `export { x } from '@longshore/api';`],
    [
      'a package importing an app',
      'packages/runtime/src/a.ts',
      `let x: import('@longshore/worker').X;`,
    ],
    [
      'a bundled plugin with privileges',
      'packages/plugin-text/src/a.ts',
      `import '@longshore/core';`,
    ],
    ['SQL outside the database', 'apps/api/src/a.ts', `import pg from 'pg';`],
    ['Prisma outside the database', 'apps/api/src/a.ts', `import { x } from '@prisma/client';`],
    ['Redis outside the queue', 'apps/worker/src/a.ts', `import { Redis } from 'ioredis';`],
    ['BullMQ outside the queue', 'apps/worker/src/a.ts', `const { Queue } = require('bullmq');`],
    ['MCP in the worker', 'apps/worker/src/a.ts', `import '@modelcontextprotocol/server';`],
    ['Express outside the API', 'packages/runtime/src/a.ts', `import express from 'express';`],
    [
      'a path into another package',
      'apps/api/src/a.ts',
      `import '../../../packages/core/src/task.ts';`,
    ],
    [
      'the inside of another package',
      'apps/api/src/a.ts',
      `import '@longshore/core/dist/task.js';`,
    ],
    [
      'the environment deep inside',
      'packages/queue/src/a.ts',
      `const url = process.env['REDIS_URL'];`,
    ],
    ['the environment by another name', 'apps/api/src/a.ts', `const { env } = process;`],
    ['the imported environment', 'apps/api/src/a.ts', `import { env } from 'node:process';`],
    [
      'a plugin with what is the worker’s',
      'packages/plugin-text/src/a.ts',
      `import { loadPlugin } from '@longshore/plugin/host';`,
    ],
    [
      'a time limit that may be collected',
      'apps/api/src/a.ts',
      'AbortSignal.any([stop, AbortSignal.timeout(1)]);',
    ],
    ['a workspace nobody thought of', 'packages/new/src/a.ts', `import '@longshore/core';`],
  ])('forbid %s', (_, file, code) => {
    expect(violationsOf({ file, code })).toEqual([expect.stringContaining(file)]);
  });

  it.each([
    ['an allowed arrow', 'apps/api/src/a.ts', `import { isTerminal } from '@longshore/core';`],
    ['a public subpath', 'apps/worker/src/a.ts', `import '@longshore/plugin/files';`],
    [
      'the one subpath of a package',
      'apps/api/src/a.ts',
      `import '@longshore/plugin/uri-template';`,
    ],
    ['a file of the same package', 'packages/core/src/a/b.ts', `import '../c.ts';`],
    ['the environment in an entry', 'apps/api/src/main.ts', `loadConfig(process.env);`],
    [
      'a mere mention',
      'packages/core/src/a.ts',
      `// import 'pg'; process.env\nexport const x = "from 'pg'";`,
    ],
  ])('allow %s', (_, file, code) => {
    expect(violationsOf({ file, code })).toEqual([]);
  });
});

/** Still to be put in order; nothing may be added. */
const WITH_CIRCLES = ['apps/api'];

describe('the floors', () => {
  it.each(Object.keys(FLOORS))('of %s are climbed downwards only', (directory) => {
    const house = workspaces.find((workspace) => workspace.directory === directory);
    expect(stairsUp([...(house?.sources ?? []), ...(house?.generated ?? [])])).toEqual([]);
  });

  it.each(
    workspaces
      .filter(({ directory }) => !WITH_CIRCLES.includes(directory))
      .map(({ directory, sources }) => [directory, sources] as const),
  )('of %s have no circle of files', (_, sources) => {
    expect(circlesOf(sources)).toEqual([]);
  });

  it.each([
    ['a stair up', 'packages/database/src/statements/a.ts', `import '../stores/b.ts';`],
    ['a step across', 'packages/database/src/rows/a.ts', `import '../connection/b.ts';`],
    ['a folder that is on no floor', 'packages/database/src/new/a.ts', ''],
  ])('forbid %s', (_, file, code) => {
    expect(stairsUp([{ file, code }])).toEqual([expect.stringContaining(file)]);
  });

  it('know a circle', () => {
    const a = { file: 'packages/core/src/a.ts', code: `import type { B } from './b.ts';` };
    const b = { file: 'packages/core/src/b.ts', code: `export * from './c/c.ts';` };
    const c = { file: 'packages/core/src/c/c.ts', code: `import '../a.ts'; import './d.ts';` };
    const d = { file: 'packages/core/src/c/d.ts', code: '' };
    expect(circlesOf([d, c, b, a])).toEqual([[a.file, b.file, c.file]]);
  });
});

/** Packages among `imports`, without subpaths, Node's own and relative ones. */
function packagesOf(imports: readonly string[]): string[] {
  const names = imports.flatMap((specifier) => {
    if (specifier.startsWith('.') || specifier.startsWith('node:')) return [];
    return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[0] ?? [];
  });
  return [...new Set(names)].sort();
}

const isOurs = (name: string): boolean => name.startsWith('@longshore/');

/** Served, not run: nothing of theirs is installed in production. */
const BUNDLED = ['apps/dashboard'];

/** What a page is built with, and what its libraries ask for without being imported by us. */
const BUILDS_PAGES = /^(vite|@vitejs\/.*|@types\/.*|@mantine\/hooks)$/;

function importsOf({ sources, generated }: Workspace): string[] {
  return packagesOf(
    [...sources, ...generated].flatMap(({ file, code }) => readSourceFacts(file, code).imports),
  );
}

describe.each(workspaces.map((workspace) => [workspace.directory, workspace] as const))(
  'the manifest of %s',
  (_, workspace) => {
    const { manifest, directory } = workspace;
    // Optional ones are resolved by name when they are there, not imported. A page carries all that it needs in its
    // bundle, beside what it is built with.
    const dependencies = Object.keys(
      BUNDLED.includes(directory) ? manifest.devDependencies : manifest.dependencies,
    )
      .filter((name) => !BUILDS_PAGES.test(name))
      .sort();

    it('names as dependencies what the sources import', () => {
      expect(dependencies).toEqual(importsOf(workspace).filter((name) => name !== manifest.name));
    });

    it('and the TypeScript project refer to the same packages of ours', () => {
      const directoryOf = (name: string) =>
        workspaces.find(({ manifest }) => manifest.name === name)?.directory;
      expect([...workspace.references].sort()).toEqual(
        dependencies.filter(isOurs).map(directoryOf).sort(),
      );
    });
  },
);
