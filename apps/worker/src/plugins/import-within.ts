import { pathToFileURL } from 'node:url';
import { withDeadline } from '@longshore/core';
import { importTypeScript, needsLoader } from './import-typescript.ts';
import { reasonOf } from './reason-of.ts';

/** What a plugin that is not installed yet, or lies outside of any project, misses first. */
const OUR_PACKAGE = /Cannot find (?:package|module) '@longshore\/plugin/;

/**
 * Imports a module.
 *
 * @param file absolute path
 * @throws {Error} its import failed, or took longer than `timeoutMs` milliseconds
 */
export function importWithin(file: string, timeoutMs: number): Promise<unknown> {
  return withDeadline(
    importModule(file),
    timeoutMs,
    () => new Error(`its import did not end within ${timeoutMs} ms (a top-level await?)`),
  );
}

async function importModule(file: string): Promise<unknown> {
  try {
    return await (needsLoader(file) ? importTypeScript(file) : import(pathToFileURL(file).href));
  } catch (cause) {
    const reason = reasonOf(cause);
    const remedy = OUR_PACKAGE.test(reason)
      ? ": run npm install in the plugin's folder; 'longshore plugin new' makes one that has it"
      : '';
    throw new Error(`its import failed: ${reason}${remedy}`, { cause });
  }
}
