import { describe, expect, it } from '@jest/globals';
import { parseSearchText, searchTextOf } from '../src/state/search-text.ts';
import { taskPageSearchOf, taskSearchOf } from '../src/state/searches.ts';

const ID = '01a2081f-c10e-72d1-a727-c72b91ea517b';

describe('an address', () => {
  it.each([
    ['?phase=failed&phase=cancelled&tool=text_count&text=%3Cb%3E+%26'],
    [`?queue=gpu&principal=${ID}&within=24h&cursor=abc`],
    [''],
  ])('says the same after a way through the page: %s', (text) => {
    expect(searchTextOf({ ...taskSearchOf(parseSearchText(text)) })).toBe(text);
  });

  it('loses what is no filter, and keeps the rest', () => {
    const text = '?phase=done&phase=failed&principal=me&within=1y&text=x&sort=age&tab=files';
    expect(searchTextOf({ ...taskSearchOf(parseSearchText(text)) })).toBe('?phase=failed');
    expect(taskPageSearchOf(parseSearchText(text)).tab).toBe('files');
  });
});
