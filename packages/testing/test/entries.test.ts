import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from '@jest/globals';

const SRC = path.join(import.meta.dirname, '..', 'src');

/** Packages, ours and others', that a file loads with all it imports; types load nothing. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const code = readFileSync(file, 'utf8').replaceAll(/^(import|export) type [^;]*;/gm, '');
  return [...code.matchAll(/ from '([^']+)'/g)].flatMap(([, specifier = '']) => {
    if (specifier.startsWith('.'))
      return packagesOf(path.join(path.dirname(file), specifier), seen);
    return specifier.startsWith('node:') ? [] : [specifier];
  });
}

// Most test files only wait: what they load, a hundred files load.
it.each(['.', 'network', 'processes', 'suites'])('%s loads no package', (entry) => {
  expect(packagesOf(path.join(SRC, entry, 'index.ts'))).toEqual([]);
});

it.each(['mcp', 'plugins', 'servers'])(
  '%s loads packages, which is why it stands alone',
  (entry) => {
    expect(packagesOf(path.join(SRC, entry, 'index.ts')).length).toBeGreaterThan(0);
  },
);
