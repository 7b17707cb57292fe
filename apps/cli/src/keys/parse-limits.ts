import { LIMIT_RANGES, type PrincipalLimits } from '@longshore/core';

/**
 * @param given `name=value` each
 * @returns the limits; else what is wrong
 */
export function parseLimits(given: readonly string[]): Partial<PrincipalLimits> | string {
  const limits: Partial<Record<keyof PrincipalLimits, number>> = {};
  for (const text of given) {
    const [, name = '', digits = ''] = /^([A-Za-z]+)=(\d{1,12})$/.exec(text) ?? [];
    if (!isLimit(name)) {
      const names = Object.keys(LIMIT_RANGES).join(', ');
      return `--limit '${text}' is no NAME=NUMBER with one of ${names}`;
    }
    const { min, max } = LIMIT_RANGES[name];
    const value = Number(digits);
    if (value < min || value > max) return `--limit '${text}': ${name} is from ${min} to ${max}`;
    limits[name] = value;
  }
  return limits;
}

function isLimit(name: string): name is keyof PrincipalLimits {
  return Object.hasOwn(LIMIT_RANGES, name);
}
