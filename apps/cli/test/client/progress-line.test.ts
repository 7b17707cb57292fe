import { expect, it } from '@jest/globals';
import { describeProgress, ProgressLine } from '../../src/client/progress-line.ts';

it.each([
  [{ progress: 1, total: 4, message: 'a' }, '[######------------------] 25% 1/4 a'],
  [{ progress: 9, total: 4, message: null }, '[########################] 100% 9/4'],
  [{ progress: 7, total: null, message: 'pages' }, '7 pages'],
  [{ progress: null, total: null, message: 'one\u001B[2J\ntwo' }, 'one [2J two'],
])('%j is shown as %j', (state, text) => {
  expect(describeProgress(state, null)).toBe(text);
});

it.each([
  [0.2, '1 s'],
  [40, '40 s'],
  [700, '12 min'],
  [12_000, '3 h 20 min'],
])('%d seconds are %s left', (seconds, left) => {
  const state = { progress: 1, total: 4, message: 'a' };
  expect(describeProgress(state, seconds)).toBe(
    `[######------------------] 25% 1/4 ${left} left a`,
  );
});

it('measures the time that is left on a terminal, from what it has seen itself', () => {
  const shown: string[] = [];
  let now = 0;
  const terminal = { isTTY: true, columns: 80, write: (text: string) => shown.push(text) };
  const line = new ProgressLine(terminal as unknown as NodeJS.WriteStream, () => now);
  for (const [at, progress] of [
    [0, 500],
    [1_000, 510],
    [10_000, 600],
  ] as const) {
    now = at;
    line.show({ progress, total: 1_000, message: null });
  }
  expect(shown.map((text) => /\d+\/1000.*$/.exec(text)?.[0])).toEqual([
    '500/1000',
    '510/1000',
    '600/1000 40 s left',
  ]);
});
