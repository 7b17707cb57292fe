/** The largest bigint of Postgres. */
const LAST_EVENT = 9_223_372_036_854_775_807n;

/** An EventCursor may come from a client, and Postgres would call anything but a bigint an error. */
export function isEventCursor(cursor: string): boolean {
  return /^\d{1,19}$/.test(cursor) && BigInt(cursor) <= LAST_EVENT;
}
