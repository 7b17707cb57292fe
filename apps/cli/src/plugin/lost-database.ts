import * as z from 'zod';

const LogLine = z.object({
  msg: z.string(),
  err: z.object({ code: z.string().optional() }).optional(),
});

/** PostgreSQL's class 57P is a server that goes down; the others are what is said of one that has gone. */
const LOST = /^(57P\d\d|DATABASE_UNAVAILABLE|QUEUE_UNAVAILABLE|ECONN[A-Z]+)$/;

/** Whether a log line of a worker says no more than that its database is away. */
export function tellsOfLostDatabase(line: string): boolean {
  let parsed: unknown;
  try {
    parsed = JSON.parse(line);
  } catch {
    // What a tool prints is no log line.
    return false;
  }
  const { data } = LogLine.safeParse(parsed);
  if (data === undefined) return false;
  return LOST.test(data.err?.code ?? '') || data.msg === 'an idle database connection broke';
}
