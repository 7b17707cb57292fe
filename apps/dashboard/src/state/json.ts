/** An object from outside, of which nothing is known. */
export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function recordIn(value: unknown, name: string): Json | null {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : null;
}

/** Empty text counts as none. */
export function textIn(value: unknown, name: string): string | null {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'string' && member !== '' ? member : null;
}

export function numberIn(value: unknown, name: string): number | null {
  const member = isRecord(value) ? value[name] : undefined;
  return typeof member === 'number' && Number.isFinite(member) ? member : null;
}

export function recordsIn(value: unknown, name: string): readonly Json[] {
  const member = isRecord(value) ? value[name] : undefined;
  return Array.isArray(member) ? member.filter(isRecord) : [];
}
