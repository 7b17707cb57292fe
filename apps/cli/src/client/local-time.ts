import { CliError, EXIT } from './cli-error.ts';

const UNITS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `11-22 14:03:59` of this machine; the year as well when it is not this one. */
export function localTime(iso: string, now: Date = new Date()): string {
  const at = new Date(iso);
  const two = (part: number): string => String(part).padStart(2, '0');
  const date = `${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = [at.getHours(), at.getMinutes(), at.getSeconds()].map(two).join(':');
  const year = at.getFullYear() === now.getFullYear() ? '' : `${at.getFullYear()}-`;
  return `${year}${date} ${time}`;
}

/**
 * @param text how long ago, or a time, of this machine unless it says another zone
 * @throws {CliError}
 */
export function sinceTime(text: string, now: Date): Date {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const at =
    count === undefined
      ? new Date(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00` : text)
      : new Date(now.getTime() - Number(count) * (UNITS[unit] ?? Number.NaN));
  if (!Number.isNaN(at.getTime())) return at;
  throw new CliError(
    EXIT.usage,
    `--since '${text}' is neither how long ago, such as 30m, 12h or 7d, nor a time such as 2027-03-01T09:00`,
  );
}
