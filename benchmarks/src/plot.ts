import { isRate, type Measurement } from './report.ts';

const ROW = 22;
const HEAD = 46;
const LABELS = 300;
const BARS = 360;
const FIGURES = 200;
/** Of the scale, in powers of two, on either side of the limit. What is beyond stands at its end. */
const REACH = 6;

const STYLE = `
  text { font: 12px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; font-size: 14px; }
  .figure, .limit-label { fill: #59636e; }
  .better { fill: #1a7f5a; } .worse { fill: #b35900; }
  .range { stroke: #59636e; stroke-width: 1.5; }
  .limit { stroke: #d1242f; stroke-dasharray: 4 3; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; } .figure, .limit-label { fill: #9198a1; }
    .better { fill: #3fb98a; } .worse { fill: #e08e45; } .range { stroke: #9198a1; } .limit { stroke: #ff7b72; }
  }`;

/**
 * Bars of what was measured in proportion to its limit, from there to less or more on a scale of powers of two, with the
 * least and the most of the rounds.
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
  const middle = LABELS + BARS / 2;
  const at = (ratio: number): number =>
    tidy(middle + (Math.min(Math.max(Math.log2(ratio), -REACH), REACH) / REACH) * (BARS / 2));
  const rows = shown.map(({ name, value, min, max, unit, limit, ratio }, index) => {
    const y = HEAD + index * ROW;
    const isBetter = isRate(unit) ? ratio >= 1 : ratio <= 1;
    const end = at(ratio);
    return [
      `<text x="${LABELS - 8}" y="${y + 12}" text-anchor="end">${escaped(name)}</text>`,
      `<rect class="${isBetter ? 'better' : 'worse'}" x="${Math.min(middle, end)}" y="${y}" width="${tidy(Math.abs(end - middle))}" height="15" rx="2"/>`,
      `<line class="range" x1="${at(min / limit)}" x2="${at(max / limit)}" y1="${y + 7.5}" y2="${y + 7.5}"/>`,
      `<text class="figure" x="${LABELS + BARS + 8}" y="${y + 12}">${ratio} · ${value} ${escaped(unit)}</text>`,
    ].join('\n');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escaped(title)}, in proportion to the limit">
<style>${STYLE}
</style>
<text class="title" x="8" y="18">${escaped(title)}</text>
<text class="limit-label" x="${middle}" y="32" text-anchor="middle">less than the limit ◂ ▸ more; green is better than it, orange worse</text>
${rows.join('\n')}
<line class="limit" x1="${middle}" x2="${middle}" y1="${HEAD - 6}" y2="${height - 8}"/>
</svg>
`;
}

function tidy(x: number): number {
  return Math.round(x * 10) / 10;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
