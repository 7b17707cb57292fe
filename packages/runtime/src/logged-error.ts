import { diagnosisOf } from '@longshore/core';

/** Causes of causes that are shown. */
const MAX_DEPTH = 4;

interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/**
 * What the log says of an error. Only these members: drivers attach the values of the row that failed,
 * which are arguments and results of tasks.
 */
export function loggedError(thrown: unknown, depth = 0): LoggedError {
  if (!(thrown instanceof Error)) return { type: typeof thrown, message: String(thrown) };
  const code = 'code' in thrown ? thrown.code : undefined;
  return {
    type: thrown.name,
    message: diagnosisOf(thrown),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    ...(thrown.stack === undefined ? {} : { stack: thrown.stack }),
    ...(thrown.cause === undefined || depth === MAX_DEPTH
      ? {}
      : { cause: loggedError(thrown.cause, depth + 1) }),
  };
}
