import { createHash } from 'node:crypto';
import { type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { loggedError } from './logged-error.ts';

const { isoTime } = pino.stdTimeFunctions;

export type RootLogger = Logger;

/** A line each, with the time of day, and without the ids of processes. */
const FOR_PEOPLE = {
  singleLine: true,
  translateTime: 'SYS:HH:MM:ss',
  ignore: 'app,pid,hostname,workerId,requestId,principal,attempt,written',
  messageFormat: '{app}: {msg}',
};

/**
 * The process's root logger: readable on a terminal, one JSON object per line otherwise, with the level as a word and
 * the time as in ISO 8601.
 *
 * @param fields in every line: which process this is
 * @param output `stderr` where standard output belongs to somebody else
 */
export function createLogger(
  level: string,
  fields: Readonly<Record<string, unknown>>,
  output: 'stdout' | 'stderr' = 'stdout',
): RootLogger {
  const options = {
    level,
    base: fields,
    serializers: { err: loggedError, sessionId: sessionName },
  };
  const { isTTY, fd } = process[output];
  if (isTTY) return pino(options, pretty({ sync: true, destination: fd, ...FOR_PEOPLE }));
  return pino(
    { ...options, formatters: { level: (label) => ({ level: label }) }, timestamp: isoTime },
    // Not at once: a reader that is slow must not hold up the process, as each write to a full pipe would.
    pino.destination({ fd, sync: false }),
  );
}

/** The id of a session is a credential where there are no others. This tells which lines are of one session, and no more. */
function sessionName(id: unknown): string {
  return createHash('sha256').update(String(id)).digest('hex').slice(0, 12);
}
