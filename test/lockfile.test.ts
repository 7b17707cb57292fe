import { expect, it } from '@jest/globals';
import * as z from 'zod';
import {
  type Manifest,
  readJson,
  readManifest,
  readWorkspaces,
} from './architecture/workspaces.ts';

/*
 * `npm ci` must pass in a clean clone, on every platform, with whatever registry npm is set up for.
 */

const Lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      resolved: z.string().optional(),
      link: z.boolean().optional(),
      optionalDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});

const { packages } = Lockfile.parse(readJson('package-lock.json'));

it('names no host to download from', () => {
  const resolved = Object.entries(packages).flatMap(([where, entry]) =>
    entry.link === true || entry.resolved === undefined ? [] : `${where}: ${entry.resolved}`,
  );
  expect(resolved).toEqual([]);
});

it('has the packages of every platform, which npm ci asks for on each of them', () => {
  const missing = Object.entries(packages).flatMap(([where, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !isLocked(where, name))
      .map((name) => `${name}, wanted by ${where}: run node scripts/complete-lockfile.js`),
  );
  expect(missing).toEqual([]);
});

/** Looks where Node would: inside the package, then in each folder above. */
function isLocked(where: string, name: string): boolean {
  const folders = where.split('/');
  return [...folders.keys(), folders.length].some((depth) => {
    const inside = [...folders.slice(0, depth), 'node_modules', name].join('/');
    return packages[inside] !== undefined;
  });
}

const manifests = [readManifest('.'), ...readWorkspaces().map(({ manifest }) => manifest)];

it.each(manifests.map((manifest) => [manifest.name, manifest] as const))(
  'has exact versions only in %s',
  (_, manifest) => {
    expect(allDependencies(manifest).filter(([, version]) => !isExact(version))).toEqual([]);
  },
);

it.each([
  ['1.2.3', true],
  ['7.10.0-4.0edf323', true],
  ['^1.2.3', false],
  ['1.2', false],
  ['>=1.2.3', false],
  ['latest', false],
])('takes %s for exact: %s', (version, expected) => {
  expect(isExact(version)).toBe(expected);
});

it('locks what the workspaces ask for', () => {
  const wanted = readWorkspaces().map(({ directory, manifest }) => [
    directory,
    { ...manifest.dependencies, ...manifest.devDependencies },
  ]);
  const locked = readWorkspaces().map(({ directory }) => [
    directory,
    lockedDependencies(directory),
  ]);
  expect(locked).toEqual(wanted);
});

const LockedWorkspaces = z.object({
  packages: z.record(
    z.string(),
    z.object({
      dependencies: z.record(z.string(), z.string()).default({}),
      devDependencies: z.record(z.string(), z.string()).default({}),
    }),
  ),
});

function lockedDependencies(directory: string): Record<string, string> {
  const entry = LockedWorkspaces.parse(readJson('package-lock.json')).packages[directory];
  return { ...entry?.dependencies, ...entry?.devDependencies };
}

function allDependencies(manifest: Manifest): [string, string][] {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest;
  return [dependencies, devDependencies, optionalDependencies, overrides].flatMap(Object.entries);
}

function isExact(version: string): boolean {
  return /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(version);
}
