import { fileURLToPath } from 'node:url';

const TYPESCRIPT = /\.[cm]?ts$/;

const OUR_MODULES = ['', '/files', '/process', '/testing'].map(
  (name) => `@longshore/plugin${name}`,
);

/** Whether this Node.js can not import the file by itself: from 22.18 on it leaves types out. */
export function needsLoader(file: string): boolean {
  return TYPESCRIPT.test(file) && !stripsTypes();
}

/**
 * Imports a TypeScript module where Node.js does not. Its lines keep their numbers, so that stacks are right; what
 * it imports from other packages is the same as everywhere.
 *
 * @param file absolute path
 * @param hasOurPackage whether its folder has `@longshore/plugin`; else it gets the worker's
 */
export async function importTypeScript(file: string, hasOurPackage: boolean): Promise<unknown> {
  const { createJiti } = await import('jiti');
  // Nothing is left on the disk, and no `default` is looked for: exports are as they are written.
  const jiti = createJiti(import.meta.url, {
    fsCache: false,
    interopDefault: false,
    alias: hasOurPackage ? {} : Object.fromEntries(OUR_MODULES.map((name) => [name, pathOf(name)])),
  });
  return jiti.import(file);
}

function pathOf(module: string): string {
  return fileURLToPath(import.meta.resolve(module));
}

function stripsTypes(): boolean {
  const stripping: unknown = Reflect.get(process.features, 'typescript');
  return stripping !== undefined && stripping !== false;
}
