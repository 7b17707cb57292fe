import type { Zone } from './preferences.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const;

/** Such as `340 ms`, `4.2 s`, `3 min 20 s`, `2 d 4 h`: two units at most. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 9_950) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000) * 1_000;
  const at = UNITS.findIndex(([, size]) => whole >= size);
  const [name, size] = UNITS[at] ?? UNITS[3];
  const count = Math.floor(whole / size);
  const next = UNITS[at + 1];
  const rest = next === undefined ? 0 : Math.floor((whole - count * size) / next[1]);
  return next === undefined || rest === 0
    ? `${count} ${name}`
    : `${count} ${name} ${rest} ${next[0]}`;
}

/** How old something is, in whole seconds or one greater unit: such as `3 min`. */
export const ageText = (ms: number): string =>
  ms < 1_000
    ? '0 s'
    : durationText(Math.floor(ms / 1_000) * 1_000)
        .replace('.0 s', ' s')
        .replace(/^(\d+ \w+) .*/, '$1');

const FORMATS = new Map<string, Intl.DateTimeFormat>();

/** Such as `2026-11-22 14:03:07 UTC`: always with the zone. */
export function instantText(at: string | number, zone: Zone, withDay = true): string {
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(new Date(at))
      .map(({ type, value }) => [type, value]),
  );
  const time = `${parts['hour']}:${parts['minute']}:${parts['second']}`;
  const day = `${parts['year']}-${parts['month']}-${parts['day']}`;
  return `${withDay ? `${day} ` : ''}${time} ${parts['timeZoneName']}`;
}

function formatOf(zone: Zone): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known !== undefined) return known;
  const format = new Intl.DateTimeFormat('en-GB', {
    ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
    ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
    timeZoneName: 'short',
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  });
  FORMATS.set(zone, format);
  return format;
}

const NUMBER = new Intl.NumberFormat('en-GB');
const SHORT_NUMBER = new Intl.NumberFormat('en-GB', {
  notation: 'compact',
  maximumFractionDigits: 1,
});

/** Such as `1,204` and `88.1K`. */
export const countText = (count: number): string =>
  count < 100_000 ? NUMBER.format(count) : SHORT_NUMBER.format(count);

/** Such as `0.3 %`. */
export const shareText = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(part === 0 || part === whole ? 0 : 1)} %`;

/** Such as `4.2 MB`. */
export function bytesText(bytes: number): string {
  const at = bytes < 1_000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  const count = bytes / 1_000 ** at;
  return `${at === 0 ? count : count.toFixed(1)} ${['B', 'kB', 'MB', 'GB', 'TB'][at]}`;
}
