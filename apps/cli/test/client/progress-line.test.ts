import { expect, it } from '@jest/globals';
import { describeProgress } from '../../src/client/progress-line.ts';

it.each([
  [{ progress: 1, total: 4, message: 'a' }, '[######------------------] 25% 1/4 a'],
  [{ progress: 9, total: 4, message: null }, '[########################] 100% 9/4'],
  [{ progress: 7, total: null, message: 'pages' }, '7 pages'],
  [{ progress: null, total: null, message: 'one\u001B[2J\ntwo' }, 'one [2J two'],
])('%j is shown as %j', (state, text) => {
  expect(describeProgress(state)).toBe(text);
});
