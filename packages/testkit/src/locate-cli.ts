import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/**
 * The program `longshore`, of the version that is installed beside this package.
 *
 * @throws {Error} it is not installed, or not built
 */
export function locateCli(): string {
  let found: string;
  try {
    found = createRequire(import.meta.url).resolve('@longshore/cli');
  } catch (cause) {
    throw new Error(
      'startEngine runs @longshore/cli, which is not installed: npm i -D @longshore/cli',
      {
        cause,
      },
    );
  }
  const main = path.join(path.dirname(found), '..', 'dist', 'main.js');
  if (!existsSync(main)) throw new Error(`${main} is not there: build Longshore first`);
  return main;
}
