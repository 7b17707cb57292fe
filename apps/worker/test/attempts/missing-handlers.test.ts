import { describe, expect, it } from '@jest/globals';
import { silentLogger, type TaskId } from '@longshore/core';
import { MissingHandlers } from '../../src/attempts/missing-handlers.ts';

const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as TaskId;

describe('MissingHandlers', () => {
  it('offers the job to the others at once, several times before it waits', () => {
    const missing = new MissingHandlers(silentLogger);
    const kinds = Array.from({ length: 8 }, () => missing.met(id(1), 'tool').kind);
    const round = ['pass_on', 'pass_on', 'pass_on', 'again'];
    expect(kinds).toEqual([...round, ...round]);
  });

  it('waits longer each time it meets the same task again, up to eight seconds', () => {
    const missing = new MissingHandlers(silentLogger);
    const delays = Array.from({ length: 80 }, () => missing.met(id(1), 'tool')).flatMap((next) =>
      next.kind === 'again' ? [next.delayMs] : [],
    );
    expect(delays[0]).toBeLessThanOrEqual(250);
    expect(Math.max(...delays)).toBeLessThanOrEqual(8_000);
    expect(delays.at(-1)).toBeGreaterThanOrEqual(4_000);
  });

  it('does not slow one task down because of another', () => {
    const missing = new MissingHandlers(silentLogger);
    for (let n = 0; n < 40; n += 1) missing.met(id(1), 'tool');
    expect(missing.met(id(2), 'tool')).toEqual({ kind: 'pass_on' });
  });

  it('says once per name that it is missing', () => {
    const warnings: object[] = [];
    const missing = new MissingHandlers({
      ...silentLogger,
      warn: (fields) => void warnings.push(fields),
    });
    for (let n = 0; n < 5; n += 1) missing.met(id(n), n % 2 === 0 ? 'even' : 'odd');
    expect(warnings).toEqual([
      { what: 'even', taskId: id(0) },
      { what: 'odd', taskId: id(1) },
    ]);
  });
});
