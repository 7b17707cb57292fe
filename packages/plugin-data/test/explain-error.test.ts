import { expect, it } from '@jest/globals';
import { DuckDBError } from '../src/engine/engine.ts';
import { explainError } from '../src/explain-error.ts';

const files = [{ readPath: '/proc/self/fd/4', file: { name: 'a.csv', path: '/srv/data/a.csv' } }];

it.each([
  ['Error in "/proc/self/fd/4" or /srv/data/a.csv', 'Error in "a.csv" or a.csv'],
  ['Failed to extract statements: Parser Error: x', 'Parser Error: x'],
  ['CSV Error on Line: 3\n\nPossible fixes:\n* set this\n* set that', 'CSV Error on Line: 3'],
  ['Bad.\nPossible Solution: do this\n\n  file = x', 'Bad.'],
  [
    'No function.\n\tCandidate functions:\n\tf(A)\n\tf(B)\n\n\nLINE 2: f(x)\n        ^',
    'No function.\n\n\nLINE 1: f(x)\n        ^',
  ],
  ['Wrong.\n\nLINE 1: CREATE VIEW "t" AS ...\n               ^', 'Wrong.'],
  ['Wrong.\n\nLINE 12: nope\n         ^', 'Wrong.\n\nLINE 11: nope\n         ^'],
  ['x'.repeat(3_000), `${'x'.repeat(2_000)}…`],
])('makes %j readable', (message, readable) => {
  expect(explainError(new DuckDBError(message), files)).toBe(readable);
});
