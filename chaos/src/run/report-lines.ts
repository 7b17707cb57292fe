import type { ChaosReport } from './chaos-run.ts';

/** What a run prints, an object a line: each violation with the seed that shows it, then the summary. */
export function reportLines(seed: number, { violations, summary }: ChaosReport): object[] {
  return [
    ...violations.map((violation) => ({ type: 'violation', seed, ...violation })),
    { type: 'summary', ...summary },
  ];
}
