import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { diagnosisOf, withDeadline } from '@longshore/core';

const TYPESCRIPT = /\.[cm]?ts$/;

/**
 * Imports a module. Where its folder has no `@longshore/plugin`, as beside any project, it gets the worker's.
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
    if (TYPESCRIPT.test(file)) await import('@longshore/plugin/typescript');
    if (!findsOurPackage(file)) lendOurPackage();
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new Error(`its import failed: ${diagnosisOf(cause)}`, { cause });
  }
}

function findsOurPackage(file: string): boolean {
  try {
    createRequire(file).resolve('@longshore/plugin');
    return true;
  } catch {
    return false;
  }
}

/** As text, for Node.js runs it in a thread of its own. What is found the usual way stays what it is. */
const HOOKS = `
let parentURL;
export function initialize(url) { parentURL = url; }
export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    if (!/^@longshore\\/plugin(\\/|$)/.test(specifier)) throw error;
    return next(specifier, { ...context, parentURL });
  }
}`;

let isLent = false;

function lendOurPackage(): void {
  if (isLent) return;
  isLent = true;
  register(`data:text/javascript,${encodeURIComponent(HOOKS)}`, { data: import.meta.url });
}
