import { expect, it } from '@jest/globals';
import { ErrorLog } from '../src/connections/error-log.ts';
import { recordingLogger } from './support/recording-logger.ts';

it('logs a message at once, then every ten seconds with the number left out', () => {
  const { log, lines } = recordingLogger();
  let now = 0;
  const errors = new ErrorLog(log, { now: () => now });
  for (const at of [0, 1, 9_999, 10_000, 10_001, 20_001]) {
    now = at;
    errors.warn({ at }, 'gone');
  }
  errors.warn({}, 'something else');
  expect(lines).toEqual([
    { level: 'warn', fields: { at: 0 }, message: 'gone' },
    { level: 'warn', fields: { at: 10_000, leftOut: 2 }, message: 'gone' },
    { level: 'warn', fields: { at: 20_001, leftOut: 1 }, message: 'gone' },
    { level: 'warn', fields: {}, message: 'something else' },
  ]);
});
