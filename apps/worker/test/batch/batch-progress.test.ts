import { expect, it } from '@jest/globals';
import { BatchProgressTeller } from '../../src/batch/batch-progress.ts';

it('ends with a status message that says how it ended, however soon after the one before', () => {
  const said: string[] = [];
  const teller = new BatchProgressTeller({
    progress: () => {},
    statusMessage: (text) => said.push(text),
  });
  for (let through = 0; through <= 4; through += 1) {
    teller.tell('b', {
      done: through - Math.floor(through / 4),
      failed: Math.floor(through / 4),
      total: 4,
    });
  }
  expect(said).toEqual(['0 of 4 items done, 0 failed', '3 of 4 items done, 1 failed']);
});
