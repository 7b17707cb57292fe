import { expect, it } from '@jest/globals';
import { parseCommandLine } from '../src/command-line.ts';
import { reportLines } from '../src/run/report-lines.ts';

it('a report names the seed with each violation, and ends with the summary', () => {
  const violation = { check: 'lost', subject: 't', problem: 'is gone' };
  expect(reportLines(7, { violations: [violation], summary: { tasks: 1 } })).toEqual([
    { type: 'violation', seed: 7, ...violation },
    { type: 'summary', tasks: 1 },
  ]);
});

it('the command line has its defaults, and refuses what makes no sense', () => {
  expect(parseCommandLine(['--seed', '9', '--minutes', '10'])).toEqual({
    seed: 9,
    minutes: 10,
    rate: 12,
    faultEveryMs: 2_500,
    planOnly: false,
  });
  for (const wrong of [['--seed', 'x'], ['--minutes', '0'], ['--rate', '-1'], ['--what'], ['x']]) {
    expect(parseCommandLine(wrong)).toBeNull();
  }
});
