import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { findNativePostgres, linkLibraries } from '../src/native-postgres.ts';

let dir: string;
let root: string;

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-native-'));
  root = path.join(dir, 'package/native');
  mkdirSync(path.join(root, 'lib'), { recursive: true });
  writeFileSync(path.join(root, 'lib/libx.so.1.2'), 'library');
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1' }];
  writeFileSync(path.join(root, 'pg-symlinks.json'), JSON.stringify(links));
});

afterEach(() => rmSync(dir, { recursive: true }));

it('makes the links among the libraries that an install script would have made', () => {
  expect(linkLibraries(root, path.join(dir, 'links'))).toBe(true);
  const link = path.join(root, 'lib/libx.so.1');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(link, 'utf8')).toBe('library');
  expect(linkLibraries(root, path.join(dir, 'links'))).toBe(true);
});

it('makes them elsewhere when the package can not be written', () => {
  // A target below a file, which not even root can make.
  const links = [{ source: 'native/lib/libx.so.1.2', target: 'native/lib/libx.so.1.2/libx.so.1' }];
  writeFileSync(path.join(root, 'pg-symlinks.json'), JSON.stringify(links));
  expect(linkLibraries(root, path.join(dir, 'links'))).toBe(false);
  expect(readFileSync(path.join(dir, 'links/libx.so.1'), 'utf8')).toBe('library');
});

it('finds programs that are there', () => {
  const native = findNativePostgres(path.join(dir, 'links'));
  for (const name of ['postgres', 'initdb', 'pg_ctl'] as const) {
    expect(existsSync(native.program(name))).toBe(true);
  }
});

it('says what to do on a platform without package', () => {
  expect(() => findNativePostgres(dir, 'aix', 'ppc64')).toThrow(
    expect.objectContaining({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringMatching(/no embedded PostgreSQL for aix-ppc64\. Set DATABASE_URL/),
    }),
  );
});

it('says what to do when the package is not installed', () => {
  const other = process.platform === 'darwin' ? 'linux' : 'darwin';
  expect(() => findNativePostgres(dir, other, 'x64')).toThrow(
    expect.objectContaining({
      code: 'DATABASE_UNAVAILABLE',
      message: expect.stringMatching(/is not installed.*npm ci --include=optional.*DATABASE_URL/),
    }),
  );
});
