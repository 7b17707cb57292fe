import { LongshoreError } from '@longshore/core';
import { CronDate } from 'cron-parser';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * @returns the zone by its name as IANA writes it
 * @throws {LongshoreError} INVALID_PARAMS
 */
export function timeZoneOf(text: string): string {
  try {
    // An offset is no zone: it knows nothing of summer.
    if (!/^[A-Za-z]/.test(text)) throw new RangeError('no name');
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone;
  } catch (cause) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      `"${text.slice(0, 100)}" is no time zone: it takes a name of the IANA database, such as Europe/Berlin or UTC`,
      { cause },
    );
  }
}

/**
 * @param text ISO 8601; without an offset it is a time in the zone
 * @throws {LongshoreError} INVALID_PARAMS
 */
export function instantOf(text: string, timeZone: string): Date {
  try {
    if (!ISO.test(text)) throw new RangeError('not ISO 8601');
    return new CronDate(text, timeZone).toDate();
  } catch (cause) {
    throw new LongshoreError(
      'INVALID_PARAMS',
      `"${text.slice(0, 100)}" is no time: it takes ISO 8601, such as 2027-03-01T09:00 or 2027-03-01T08:00:00Z`,
      { cause },
    );
  }
}

/** What clocks in the zone show, with their offset: `2027-03-01T09:00:00+01:00`. */
export function zonedTime(time: Date, timeZone: string): string {
  const offset = new CronDate(time, timeZone).getUTCOffset();
  const shown = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, 19);
  const minutes = Math.abs(offset);
  const digits = (part: number): string => String(part).padStart(2, '0');
  const sign = offset < 0 ? '-' : '+';
  return `${shown}${sign}${digits(Math.floor(minutes / 60))}:${digits(minutes % 60)}`;
}

/** For people: `Mon 2027-03-01 09:00 +01:00`. */
export function zonedWords(time: Date, timeZone: string): string {
  const iso = zonedTime(time, timeZone);
  const [date = '', clock = ''] = iso.slice(0, 19).split('T');
  const weekday = new Date(`${date}T00:00:00Z`).toUTCString().slice(0, 3);
  return `${weekday} ${date} ${clock.endsWith(':00') ? clock.slice(0, 5) : clock} ${iso.slice(19)}`;
}
