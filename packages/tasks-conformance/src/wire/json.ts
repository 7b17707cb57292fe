export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What stands at `path` in an answer nobody has checked; undefined where there is nothing. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let here = value;
  for (const key of path) here = isObject(here) ? here[key] : undefined;
  return here;
}

/** JSON with sorted keys: equal texts are equal values. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** For messages: short enough to read, long enough to recognise. */
export function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
