import { describe, expect, it } from '@jest/globals';
import { localTime, sinceTime } from '../../src/client/local-time.ts';
import { fittingTable } from '../../src/client/table.ts';

const ROWS = [
  ['ID', 'TOOL', 'SAYS'],
  ['0198-long-id', 'count', 'a message that is far too long for what is left'],
];

describe('a table', () => {
  it('is as wide as it gets where no terminal limits it', () => {
    expect(fittingTable(ROWS, null)).toBe(
      'ID            TOOL   SAYS\n0198-long-id  count  a message that is far too long for what is left',
    );
  });

  it('uses the width there is, and shows where a text was cut', () => {
    const long = [['SAYS'], ['x'.repeat(300)]];
    expect(fittingTable(long, 100)).toBe(`SAYS\n${'x'.repeat(99)}…`);
    expect(fittingTable(long, null)).toMatch(/x…$/);
  });

  it.each([40, 30, 22, 12])('fits %d columns, and cuts from its end', (columns) => {
    const lines = fittingTable(ROWS, columns).split('\n');
    expect(lines.every((line) => line.length <= columns)).toBe(true);
    expect(lines[1]).toMatch(/^0198-long-id/);
  });
});

describe('times', () => {
  it('are of this machine', () => {
    const at = new Date(2026, 10, 3, 4, 5, 6);
    expect(localTime(at.toISOString(), at)).toBe('11-03 04:05:06');
    expect(localTime(at.toISOString(), new Date(2027, 0, 1))).toBe('2026-11-03 04:05:06');
  });

  it.each([
    ['90s', '2026-11-03T03:58:30.000Z'],
    ['2d', '2026-11-01T04:00:00.000Z'],
    ['2026-11-02T01:00Z', '2026-11-02T01:00:00.000Z'],
  ])('since %s', (text, iso) => {
    expect(sinceTime(text, new Date('2026-11-03T04:00:00Z')).toISOString()).toBe(iso);
  });

  it('without a meaning are refused', () => {
    expect(() => sinceTime('yesterday', new Date())).toThrow(/--since 'yesterday' is neither/);
  });
});
