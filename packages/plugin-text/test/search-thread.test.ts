import { describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { SearchThread } from '../src/search-thread.ts';

const never = new AbortController().signal;

describe('SearchThread', () => {
  it('searches batch after batch', async () => {
    const thread = new SearchThread(/b+/u, never);
    try {
      expect(await thread.search({ text: 'a\nabb\nb', firstLine: 10, limit: 1 })).toEqual({
        matches: [{ line: 11, column: 2, text: 'abb' }],
        count: 2,
      });
      expect(await thread.search({ text: 'b\r', firstLine: 1, limit: 9 })).toEqual({
        matches: [{ line: 1, column: 1, text: 'b' }],
        count: 1,
      });
    } finally {
      await thread.close();
    }
  });

  it('ends a pattern that would take years', async () => {
    const thread = new SearchThread(/^(a+)+$/, never, 50);
    try {
      const run = thread.search({ text: `${'a'.repeat(40)}!`, firstLine: 1, limit: 1 });
      await expect(run).rejects.toThrow('the pattern takes too long on this text');
      await expect(run).rejects.toBeInstanceOf(ToolError);
    } finally {
      await thread.close();
    }
  });

  it('fails rather than waits when the thread has ended', async () => {
    const thread = new SearchThread(/^(a+)+$/, never);
    const run = thread.search({ text: `${'a'.repeat(40)}!`, firstLine: 1, limit: 1 });
    await Promise.all([expect(run).rejects.toThrow('the search thread ended'), thread.close()]);
  });
});
