/** One line of a benchmark's output. */
export interface Measurement {
  readonly name: string;
  /** Median over the rounds. */
  readonly value: number;
  /** The least and the most of the rounds. */
  readonly min: number;
  readonly max: number;
  readonly unit: string;
  /** What the value is compared with, measured in the same run; null: nothing. */
  readonly limit: number | null;
  /** value / limit */
  readonly ratio: number | null;
}

export const measurements: Measurement[] = [];

/** @param values one per round, or what was measured once */
export function report(
  name: string,
  values: number | readonly number[],
  unit: string,
  limit: number | null = null,
): void {
  const rounds = typeof values === 'number' ? [values] : values;
  const value = median(rounds);
  const measurement: Measurement = {
    name,
    value: round(value),
    min: round(Math.min(...rounds)),
    max: round(Math.max(...rounds)),
    unit,
    limit: limit === null ? null : round(limit),
    ratio: limit === null || limit === 0 ? null : Math.round((value / limit) * 1_000) / 1_000,
  };
  measurements.push(measurement);
  process.stdout.write(`${JSON.stringify(measurement)}\n`);
}

/** Everything that was reported, once more and for people. */
export function table(): void {
  const rows = measurements.map(({ name, value, min, max, unit, ratio }) => [
    name,
    min === max ? `${value}` : `${value} [${min}–${max}]`,
    unit,
    ratio === null ? '' : `${ratio} x`,
  ]);
  const lines = [['name', 'value [min–max]', 'unit', 'to limit'], ...rows];
  const widths = [0, 1, 2, 3].map((at) => Math.max(...lines.map((line) => line[at]?.length ?? 0)));
  for (const line of lines) note(line.map((text, at) => text.padEnd(widths[at] ?? 0)).join('  '));
}

/** Of rates more is better, of everything else less. */
export function isRate(unit: string): boolean {
  return unit.endsWith('/s');
}

/** Measures what it compares with what is published more than once. */
export const IS_GUARD = process.argv.includes('--guard');

/** How much is measured: everything, what a look needs (--quick), or what shows that it runs (--tiny). */
export function size(full: number, quick: number, tiny: number): number {
  if (process.argv.includes('--tiny')) return tiny;
  return process.argv.includes('--quick') ? quick : full;
}

/** What is going on, for whoever watches; not part of the result. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** @param share such as 0.99: the value that this part of all are not above */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Math.round(value * 1_000) / 1_000;
}
