import type { Json } from './json.ts';

/** Levels of RFC 5424, least severe first. */
export type ToolLogLevel = keyof ToolLog;

type Write = (message: string, fields?: Readonly<Record<string, Json>>) => void;

/**
 * Writes to the worker's log, with the task's id, and to the client when it wants messages of that
 * level. Never log secrets.
 */
export interface ToolLog {
  readonly debug: Write;
  readonly info: Write;
  readonly notice: Write;
  readonly warning: Write;
  readonly error: Write;
  readonly critical: Write;
  readonly alert: Write;
  readonly emergency: Write;
}
