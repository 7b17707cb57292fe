import { pathToFileURL } from 'node:url';
import { reasonOf } from './reason-of.ts';

/**
 * Imports a module.
 *
 * @param file absolute path
 * @throws {Error} its import failed, or took longer than `timeoutMs` milliseconds
 */
export async function importWithin(file: string, timeoutMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`its import did not end within ${timeoutMs} ms (a top-level await?)`));
    }, timeoutMs);
  });
  try {
    return await Promise.race([importModule(file), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

async function importModule(file: string): Promise<unknown> {
  try {
    return await import(pathToFileURL(file).href);
  } catch (cause) {
    throw new Error(`its import failed: ${reasonOf(cause)}`, { cause });
  }
}
