import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import { zone } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { instantText } from '../state/time-text.ts';

export interface Line {
  readonly name: string;
  /** Of theme.css. */
  readonly color: string;
  /** One for each instant; null: there is none. */
  readonly values: readonly (number | null)[];
  /** So that lines differ for who sees no colours. */
  readonly dash?: number[];
  readonly isFilled?: boolean;
}

const HEIGHT = 190;

/** Lines over time. What they say is in the table of figures behind them too, for who does not see them. */
// biome-ignore lint/style/noDefaultExport: what React loads later is a module's default.
export default function Chart(props: {
  label: string;
  unit: string;
  /** In ms since 1970. */
  at: readonly number[];
  lines: readonly Line[];
  text: (value: number) => string;
}) {
  const { label, unit, at, lines, text } = props;
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const chosen = useStore(zone);
  const scheme = useComputedColorScheme('light');
  const data = useRef<uPlot.AlignedData>([[]]);
  data.current = [at.map((ms) => ms / 1_000), ...lines.map(({ values }) => [...values])];
  const looks = JSON.stringify(lines.map(({ values: _, ...look }) => look));

  // biome-ignore lint/correctness/useExhaustiveDependencies: figures that move are set below, without a new chart.
  useEffect(() => {
    const frame = place.current;
    if (frame === null) return;
    const colors = getComputedStyle(document.documentElement);
    const color = (name: string): string => colors.getPropertyValue(name).trim();
    const axis = {
      stroke: color('--soft'),
      grid: { stroke: color('--line'), width: 1 },
      ticks: { stroke: color('--line'), width: 1 },
    };
    const chart = new uPlot(
      {
        width: frame.clientWidth,
        height: HEIGHT,
        padding: [8, 12, 0, 0],
        cursor: { y: false },
        legend: { show: true, live: true },
        ...(chosen === 'utc'
          ? { tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC') }
          : {}),
        axes: [
          { ...axis, values: '{HH}:{mm}', space: 60, size: 30 },
          { ...axis, size: 64, values: (_, ticks) => ticks.map((tick) => text(tick)) },
        ],
        scales: { y: { range: (_, __, max) => [0, Math.max(max ?? 0, 1) * 1.05] } },
        series: [
          {
            label: 'At',
            value: (_, seconds) => (seconds === null ? '–' : instantText(seconds * 1_000, chosen)),
          },
          ...lines.map(({ name, color: of, dash, isFilled, values }) => ({
            label: name,
            stroke: color(of),
            width: 2,
            spanGaps: false,
            // A value between two that are not there is no line.
            points: { show: values.includes(null), size: 4 },
            ...(dash === undefined ? {} : { dash }),
            ...(isFilled === true ? { fill: `${color(of)}22` } : {}),
            value: (_: uPlot, value: number | null) => (value === null ? '–' : text(value)),
          })),
        ],
      },
      data.current,
      frame,
    );
    plot.current = chart;
    const watch = new ResizeObserver(() =>
      chart.setSize({ width: frame.clientWidth, height: HEIGHT }),
    );
    watch.observe(frame);
    return () => {
      watch.disconnect();
      chart.destroy();
      plot.current = null;
    };
  }, [chosen, scheme, looks]);
  useEffect(() => plot.current?.setData(data.current));

  return (
    <figure style={{ margin: 0 }}>
      <div className="chart" ref={place} role="img" aria-label={summaryOf(label, lines, text)} />
      <figcaption className="soft">
        {unit}; times in{' '}
        {chosen === 'utc' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone}
      </figcaption>
    </figure>
  );
}

function summaryOf(label: string, lines: readonly Line[], text: (value: number) => string): string {
  const said = lines.flatMap(({ name, values }) => {
    const known = values.filter((value) => value !== null);
    const last = known.at(-1);
    return last === undefined
      ? []
      : [`${name} ${text(last)}, at most ${text(known.reduce((a, b) => Math.max(a, b)))}`];
  });
  return `${label}. ${said.join('; ')}`;
}
