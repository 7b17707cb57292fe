/** What the address holds behind `?`: plain names and texts, a name again for each of several values. */
export type SearchValues = Readonly<Record<string, unknown>>;

export function parseSearchText(text: string): Record<string, string | string[]> {
  const params = new URLSearchParams(text);
  return Object.fromEntries(
    [...new Set(params.keys())].map((name) => {
      const values = params.getAll(name);
      return [name, values.length === 1 ? (values[0] ?? '') : values];
    }),
  );
}

/** Names in the order given; what is undefined, empty or an empty list is left out. */
export function searchTextOf(values: SearchValues): string {
  const params = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value])
        .filter((one) => one != null && one !== '')
        .map((one): [string, string] => [name, String(one)]),
    ),
  ).toString();
  return params === '' ? '' : `?${params}`;
}

/** What of an address has the form that a page takes; the rest is dropped. */
export const textIn = (values: SearchValues, name: string): string | undefined => {
  const value = values[name];
  const one = Array.isArray(value) ? value[0] : value;
  return typeof one === 'string' && one.trim() !== '' ? one : undefined;
};

export const textsIn = (values: SearchValues, name: string): string[] | undefined => {
  const value = values[name];
  const all = (Array.isArray(value) ? value : [value]).filter(
    (one): one is string => typeof one === 'string' && one !== '',
  );
  return all.length === 0 ? undefined : [...new Set(all)].slice(0, 20);
};

export const idIn = (values: SearchValues, name: string): string | undefined => {
  const value = textIn(values, name);
  return value !== undefined && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)
    ? value
    : undefined;
};

export const oneIn = <Word extends string>(
  values: SearchValues,
  name: string,
  words: readonly Word[],
): Word | undefined => words.find((word) => word === textIn(values, name));
