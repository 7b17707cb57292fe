import type { JsonObject, LogLevel, Session } from '@longshore/core';
import type { ApiContext } from '../methods/api-context.ts';

/** Until a client says otherwise. */
const DEFAULT_LOG_LEVEL = 'info';

/**
 * logging/setLevel: what the client wants logged of the calls that it makes from now on.
 * @see 2025-11-25 server/utilities/logging
 */
export async function setLogLevel(
  context: ApiContext,
  session: Session,
  params: { level: LogLevel },
): Promise<JsonObject> {
  await context.sessions.setLogLevel(session, params.level);
  return {};
}

/** Least severe log message that is kept for a session's client. */
export function logLevelOf(session: Session): LogLevel {
  return session.logLevel ?? DEFAULT_LOG_LEVEL;
}
