/** What Prometheus's text format says of one metric. */
export interface Family {
  readonly type: string;
  /** Those of its samples, without the bounds of buckets. */
  readonly labels: ReadonlySet<string>;
  readonly samples: readonly Sample[];
}

export interface Sample {
  /** With the suffix of a histogram's part. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const SAMPLE = /^([a-z0-9_]+)(?:\{(.*)\})? (\S+)$/;

/** Reads text format 0.0.4. @throws on a line that is none of it, and on a sample without a TYPE before it */
export function parseExposition(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, { type: string; labels: Set<string>; samples: Sample[] }>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('# HELP ')) continue;
    const [, typed = '', type = ''] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== '') {
      families.set(typed, { type, labels: new Set(), samples: [] });
      continue;
    }
    const [, name = '', pairs = '', value = ''] = SAMPLE.exec(line) ?? [];
    const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
    if (family === undefined) throw new Error(`no sample of anything: ${line}`);
    const labels = Object.fromEntries(
      [...pairs.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, key = '', text = '']) => [key, text]),
    );
    for (const label of Object.keys(labels)) if (label !== 'le') family.labels.add(label);
    family.samples.push({ name, labels, value: value === '+Inf' ? Infinity : Number(value) });
  }
  return families;
}

/** The sum of the samples of this name that have these labels, over several processes. */
export function sumOf(
  scrapes: readonly ReadonlyMap<string, Family>[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return scrapes
    .flatMap((families) => [...families.values()].flatMap(({ samples }) => samples))
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, text]) => sample.labels[key] === text))
    .reduce((sum, { value }) => sum + value, 0);
}
