import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { plot } from './plot.ts';
import { isRate, type Measurement } from './report.ts';

const DOCS = path.join(import.meta.dirname, '../../docs');
const PAGE = path.join(DOCS, 'benchmarks.md');

/**
 * Puts what was measured into docs/benchmarks.md, between the marks of its benchmark, with a plot beside it.
 *
 * @throws {Error} the page has no place for a benchmark
 */
export function publish(measurements: readonly Measurement[]): void {
  let page = readFileSync(PAGE, 'utf8');
  for (const name of new Set(measurements.map(benchmarkOf))) {
    const all = measurements.filter((one) => benchmarkOf(one) === name);
    const block = new RegExp(`(<!-- ${name} -->\\n)[\\s\\S]*?(<!-- /${name} -->)`);
    if (!block.test(page)) throw new Error(`docs/benchmarks.md has no <!-- ${name} -->`);
    const svg = plot(name, all);
    if (svg !== null) {
      mkdirSync(path.join(DOCS, 'benchmarks'), { recursive: true });
      writeFileSync(path.join(DOCS, 'benchmarks', `${name}.svg`), svg);
    }
    const picture = svg === null ? [] : [`![${name}](benchmarks/${name}.svg)`, ''];
    const content = [...picture, ...tableOf(all), ''].join('\n');
    page = page.replace(block, (_all, open: string, close: string) => `${open}${content}${close}`);
  }
  writeFileSync(PAGE, page);
}

/**
 * What fell by more than half: rates, in proportion to their limits, of which docs/benchmarks.md has others.
 *
 * @returns a line for each
 */
export function fallen(measurements: readonly Measurement[]): string[] {
  const published = readFileSync(PAGE, 'utf8');
  return measurements.flatMap(({ name, unit, ratio }) => {
    const row = new RegExp(`^\\| \`${name}\` \\|.*\\| ([\\d.]+) \\|$`, 'm').exec(published);
    if (!isRate(unit) || ratio === null || row === null) return [];
    return ratio < Number(row[1]) / 2
      ? [`${name}: ${ratio} of its limit, published ${row[1]}`]
      : [];
  });
}

/**
 * What docs/benchmarks.md has of the same runs (`finish/64`), and was not measured: others compare by these names.
 *
 * @returns their names
 */
export function missing(measurements: readonly Measurement[]): string[] {
  const names = measurements.map(({ name }) => name);
  const runOf = (name: string): string => name.split('/').slice(0, -1).join('/');
  const runs = new Set(names.map(runOf));
  return [...readFileSync(PAGE, 'utf8').matchAll(/^\| `([^`]+)` \|/gm)]
    .map(([, name = '']) => name)
    .filter((name) => runs.has(runOf(name)) && !names.includes(name));
}

/** The first part of its name: `finish` of `finish/64/longshore`. */
const benchmarkOf = ({ name }: Measurement): string => name.split('/', 1)[0] ?? name;

function tableOf(measurements: readonly Measurement[]): string[] {
  const rows = measurements.map(({ name, value, min, max, unit, limit, ratio }) => {
    const range = min === max ? '' : `${min} to ${max}`;
    return `| \`${name}\` | ${value} ${unit} | ${range} | ${limit ?? ''} | ${ratio ?? ''} |`;
  });
  return ['| what | value | rounds | limit | ratio |', '| --- | --- | --- | --- | --- |', ...rows];
}
