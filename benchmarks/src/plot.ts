import { isRate, type Measurement } from './report.ts';

const ROW = 22;
const HEAD = 46;
const LABELS = 300;
const BARS = 360;
const FIGURES = 200;
/** Longer bars are cut off here; their figure stands beside them. */
const MOST = 2;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 14px; }
  .figure, .limit-label { fill: #59636e; }
  .more { fill: #1a7f5a; } .less { fill: #b35900; }
  .range { stroke: #59636e; stroke-width: 1.5; }
  .limit { stroke: #d1242f; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .figure, .limit-label { fill: #9198a1; }
    .more { fill: #3fb98a; } .less { fill: #e08e45; } .range { stroke: #9198a1; } .limit { stroke: #ff7b72; }
  }`;

/**
 * Bars of what was measured in proportion to its limit, with the least and the most of the rounds.
 *
 * @returns an SVG, or null when nothing here has a limit
 */
export function plot(title: string, measurements: readonly Measurement[]): string | null {
  const shown = measurements.flatMap((one) =>
    one.limit === null || one.ratio === null
      ? []
      : [{ ...one, limit: one.limit, ratio: one.ratio }],
  );
  if (shown.length === 0) return null;
  const width = LABELS + BARS + FIGURES;
  const height = HEAD + shown.length * ROW + 12;
  const at = (ratio: number): number => LABELS + (Math.min(Math.max(ratio, 0), MOST) / MOST) * BARS;
  const rows = shown.map(({ name, value, min, max, unit, limit, ratio }, index) => {
    const y = HEAD + index * ROW;
    const [from, to] = [at(min / limit), at(max / limit)];
    return [
      `<text x="${LABELS - 8}" y="${y + 12}" text-anchor="end">${escaped(name)}</text>`,
      `<rect class="${isRate(unit) ? 'more' : 'less'}" x="${LABELS}" y="${y}" width="${tidy(at(ratio) - LABELS)}" height="15" rx="2"/>`,
      `<line class="range" x1="${tidy(from)}" x2="${tidy(to)}" y1="${y + 7.5}" y2="${y + 7.5}"/>`,
      `<text class="figure" x="${LABELS + BARS + 8}" y="${y + 12}">${ratio} · ${value} ${escaped(unit)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}, in proportion to the limit">
<style>${STYLE}
</style>
<text class="title" x="8" y="18">${escaped(title)}</text>
<text class="limit-label" x="${at(1)}" y="32" text-anchor="middle">the limit (green: more is better, orange: less)</text>
${rows.join('\n')}
<line class="limit" x1="${at(1)}" x2="${at(1)}" y1="${HEAD - 6}" y2="${height - 8}"/>
</svg>
`;
}

function tidy(x: number): number {
  return Math.round(x * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
