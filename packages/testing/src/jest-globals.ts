import { createRequire } from 'node:module';

type JestGlobals = typeof import('@jest/globals');

/** Whether this runs inside a jest test file. (Its children inherit JEST_WORKER_ID, but not its globals.) */
export function isInsideJest(): boolean {
  return 'afterAll' in globalThis;
}

/** `describe`, `it`, ... Loaded when asked for, because the module can not be imported outside jest. */
export function jestGlobals(): JestGlobals {
  const require = createRequire(import.meta.url);
  const globals: JestGlobals = require('@jest/globals');
  return globals;
}
