import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as z from 'zod';
import type { SourceFile } from './import-rules.ts';

export const ROOT = path.join(import.meta.dirname, '../..');

const Dependencies = z.record(z.string(), z.string()).default({});

export const Manifest = z.object({
  name: z.string(),
  dependencies: Dependencies,
  devDependencies: Dependencies,
  optionalDependencies: Dependencies,
  overrides: Dependencies,
});
export type Manifest = z.infer<typeof Manifest>;

const ProjectConfig = z.object({
  references: z.array(z.object({ path: z.string() })).default([]),
});

/** A package, app or example, by its path from the root, such as `packages/core`. */
export interface Workspace {
  readonly directory: string;
  readonly manifest: Manifest;
  /** Directories its tsconfig.json refers to. */
  readonly references: readonly string[];
  /** Written by us, under src. */
  readonly sources: readonly SourceFile[];
  /** Written by a generator, under src; there after a build. */
  readonly generated: readonly SourceFile[];
}

export function readWorkspaces(): Workspace[] {
  const directories = ['packages', 'apps', 'examples'].flatMap((group) =>
    readdirSync(path.join(ROOT, group)).map((name) => `${group}/${name}`),
  );
  return [...directories, 'benchmarks', 'chaos']
    .filter((directory) => existsSync(path.join(ROOT, directory, 'package.json')))
    .map(readWorkspace);
}

export function readManifest(directory: string): Manifest {
  return Manifest.parse(readJson(`${directory}/package.json`));
}

export function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));
}

function readWorkspace(directory: string): Workspace {
  const { references } = ProjectConfig.parse(readJson(`${directory}/tsconfig.json`));
  const files = listSources(`${directory}/src`);
  const isGenerated = ({ file }: SourceFile): boolean => file.includes('/src/generated/');
  return {
    directory,
    manifest: readManifest(directory),
    references: references.map((reference) => path.posix.join(directory, reference.path)),
    sources: files.filter((file) => !isGenerated(file)),
    generated: files.filter(isGenerated),
  };
}

function listSources(directory: string): SourceFile[] {
  const absolute = path.join(ROOT, directory);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => name.split(path.sep).join('/'))
    .sort()
    .map((name) => ({
      file: `${directory}/${name}`,
      code: readFileSync(path.join(absolute, name), 'utf8'),
    }));
}
