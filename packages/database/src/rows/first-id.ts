/**
 * The least id that a task of a client made at a time could have, whose ids begin with it (UUID version 7).
 * @param byMs for clocks that differ
 */
export function firstId(time: Date, byMs: number): string {
  const hex = Math.max(0, time.getTime() + byMs)
    .toString(16)
    .padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
