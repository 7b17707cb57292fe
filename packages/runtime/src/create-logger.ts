import { type DestinationStream, type Logger, pino } from 'pino';
import pretty from 'pino-pretty';
import { loggedError } from './logged-error.ts';

export type RootLogger = Logger;

/**
 * The process's root logger: readable on a terminal, one JSON object per line otherwise.
 *
 * @param fields in every line: which process this is
 */
export function createLogger(level: string, fields: Readonly<Record<string, unknown>>): RootLogger {
  const options = { level, base: fields, serializers: { err: loggedError } };
  const terminal: DestinationStream | null = process.stdout.isTTY ? pretty({ sync: true }) : null;
  return terminal === null ? pino(options) : pino(options, terminal);
}
