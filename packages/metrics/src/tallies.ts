import { Counter, Histogram, type Registry } from 'prom-client';

/*
 * prom-client checks, sorts and joins labels at each count, which costs microseconds for each task. Here labels are looked up
 * by their values, in the order of their names, counting is an addition, and prom-client gets to see it when the metrics are read.
 */

type Labels = Readonly<Record<string, string>>;

export interface MetricOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly registry: Registry;
}

/** One tally for each combination of labels that has come. */
class Series<Tally> {
  readonly #labelNames: readonly string[];
  readonly #create: () => Tally;
  readonly #byValues = new Map<string, { readonly labels: Labels; readonly tally: Tally }>();

  constructor(labelNames: readonly string[], create: () => Tally) {
    this.#labelNames = labelNames;
    this.#create = create;
  }

  of(values: readonly string[]): Tally {
    const key = values.join('\n');
    const known = this.#byValues.get(key);
    if (known !== undefined) return known.tally;
    const pairs = this.#labelNames.map((name, place) => [name, values[place] ?? ''] as const);
    const made = { labels: Object.fromEntries(pairs), tally: this.#create() };
    this.#byValues.set(key, made);
    return made.tally;
  }

  all(): Iterable<{ readonly labels: Labels; readonly tally: Tally }> {
    return this.#byValues.values();
  }
}

/** A counter of prom-client that gets what was counted when it is read. */
export class TalliedCounter {
  readonly #series: Series<{ pending: number }>;

  constructor({ name, help, labelNames, registry }: MetricOptions) {
    const series = new Series(labelNames, () => ({ pending: 0 }));
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      collect: () => {
        for (const { labels, tally } of series.all()) {
          counter.inc(labels, tally.pending);
          tally.pending = 0;
        }
      },
    });
    this.#series = series;
  }

  /** @param values of its labels */
  add(count: number, ...values: readonly string[]): void {
    this.#series.of(values).pending += count;
  }
}

interface Observed {
  /** For each bucket, the last of which has no bound: how many were in there. */
  readonly counts: number[];
  sum: number;
}

/** A histogram whose buckets are counted here; prom-client writes them down. */
export class TalliedHistogram extends Histogram {
  readonly #bounds: readonly number[];
  readonly #facts: { readonly name: string; readonly help: string };
  readonly #series: Series<Observed>;

  /** @param bounds upper bounds of the buckets, ascending */
  constructor({ name, help, labelNames, registry }: MetricOptions, bounds: readonly number[]) {
    super({ name, help, labelNames: [...labelNames], buckets: [...bounds], registers: [registry] });
    this.#bounds = bounds;
    this.#facts = { name, help };
    this.#series = new Series(labelNames, () => ({
      counts: Array.from({ length: bounds.length + 1 }, () => 0),
      sum: 0,
    }));
  }

  /** @param values of its labels */
  add(value: number, ...values: readonly string[]): void {
    const observed = this.#series.of(values);
    const bounds = this.#bounds;
    let place = 0;
    while (place < bounds.length && value > (bounds[place] ?? 0)) place += 1;
    observed.counts[place] = (observed.counts[place] ?? 0) + 1;
    observed.sum += value;
  }

  /** What the registry writes down. */
  getForPromString() {
    const { name } = this.#facts;
    const values = [...this.#series.all()].flatMap(({ labels, tally }) => {
      let count = 0;
      const buckets = tally.counts.map((own, place) => {
        count += own;
        const le = this.#bounds[place] ?? '+Inf';
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
      });
      return [
        ...buckets,
        { metricName: `${name}_sum`, labels, value: tally.sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
    return Promise.resolve({ ...this.#facts, type: 'histogram', values });
  }
}
