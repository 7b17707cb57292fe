import { parseArgs } from 'node:util';

export interface CommandLine {
  readonly seed: number;
  readonly minutes: number;
  readonly rate: number;
  readonly faultEveryMs: number;
  /** Print what would happen, and stop. */
  readonly planOnly: boolean;
}

export const USAGE = `usage: npm run chaos -- [--seed N] [--minutes M] [--rate TASKS_PER_SECOND] [--fault-every SECONDS] [--plan]
`;

/** @returns null when the arguments make no sense */
export function parseCommandLine(args: readonly string[]): CommandLine | null {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        seed: { type: 'string', default: '1' },
        minutes: { type: 'string', default: '1' },
        rate: { type: 'string', default: '12' },
        'fault-every': { type: 'string', default: '2.5' },
        plan: { type: 'boolean', default: false },
      },
    });
    const seed = Number(values.seed);
    const minutes = Number(values.minutes);
    const rate = Number(values.rate);
    const faultEveryMs = Math.round(Number(values['fault-every']) * 1_000);
    const isPositive = [minutes, rate, faultEveryMs].every((value) => value > 0);
    if (!Number.isSafeInteger(seed) || !isPositive) return null;
    return { seed, minutes, rate, faultEveryMs, planOnly: values.plan };
  } catch {
    return null;
  }
}
