import { describe, expect, it } from '@jest/globals';
import { countFields, detectDelimiter } from '../src/detect-delimiter.ts';

describe('detectDelimiter', () => {
  it.each([
    ['a,b,c\n1;2;3', 0, ','],
    ['a;b;c\r\n1,5;2;3', 0, ';'],
    ['a\tb\n', 0, '\t'],
    ['a|b\n', 0, '|'],
    ['"x;y;z",b\n', 0, ','],
    ['"say ""a;b;c""";d', 0, ';'],
    ['name\nann\n', 0, ','],
    ['', 0, ','],
    ['Report; of, today; \n\nid|n\n', 2, '|'],
    ['a,b;c\n', 0, ','],
  ])('of %j, %d lines skipped, is %j', (head, skip, delimiter) => {
    expect(detectDelimiter(head, skip)).toBe(delimiter);
  });
});

describe('countFields', () => {
  it('counts the fields of the first line', () => {
    expect(countFields('a;"b;c";d\n1;2', 0, ';')).toBe(3);
    expect(countFields('Report\na,b', 1, ',')).toBe(2);
    expect(countFields('', 3, ',')).toBe(1);
  });
});
