import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Json, ToolError } from '@longshore/plugin';
import { runTool, startTool, ToolSchemaError } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-text';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

let workspace: PluginWorkspace;

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  await workspace.write('poem.txt', 'Der Wal, der Wal\nschwimmt – naïve 🐋\n');
  await workspace.write('books/one.txt', 'alpha beta\nbeta');
  await workspace.write('books/two.md', 'beta gamma\r\n');
  await workspace.write('books/deep/three.txt', 'beta');
  await workspace.write('books/picture.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 1]));
  await workspace.write('latin1.txt', Buffer.from('caf\u00e9 au lait', 'latin1'));
  await workspace.write('utf16.txt', Buffer.from('\ufeffhello', 'utf16le'));
  await workspace.write('marked.txt', '\ufeffabc\n');
  await workspace.write('empty.txt', '');
});

afterAll(() => workspace.remove());

const count = async (input: object) => (await runTool(workspace.tool('text_count'), input)).output;

describe('text_count', () => {
  it('counts one file', async () => {
    expect(await count({ path: 'poem.txt', top: 2 })).toEqual({
      total: { lines: 2, words: 6, characters: 36, bytes: 42 },
      files_counted: 1,
      files: [{ path: 'poem.txt', lines: 2, words: 6, characters: 36, bytes: 42 }],
      top_words: [
        { word: 'der', count: 2 },
        { word: 'wal', count: 2 },
      ],
      distinct_words: 4,
      exact: true,
      files_skipped: 0,
      skipped: [],
    });
  });

  it('counts a folder, naming the files that are not text', async () => {
    expect(await count({ path: 'books' })).toMatchObject({
      total: { lines: 4, words: 6, characters: 31, bytes: 31 },
      files_counted: 3,
      files: [
        { path: 'books/deep/three.txt' },
        { path: 'books/one.txt' },
        { path: 'books/two.md' },
      ],
      top_words: [
        { word: 'beta', count: 4 },
        { word: 'alpha', count: 1 },
        { word: 'gamma', count: 1 },
      ],
      files_skipped: 1,
      skipped: [
        {
          path: 'books/picture.png',
          reason:
            'books/picture.png is not UTF-8 text (invalid bytes before byte 7); convert it to UTF-8 first',
        },
      ],
    });
  });

  it('counts what a pattern matches', async () => {
    expect(await count({ path: 'books/**/*.txt' })).toMatchObject({ files_counted: 2 });
  });

  it('leaves short words out of the most frequent ones only', async () => {
    expect(await count({ path: 'poem.txt', min_word_length: 5 })).toMatchObject({
      total: { words: 6 },
      top_words: [{ word: 'naïve' }, { word: 'schwimmt' }],
    });
    expect(await count({ path: 'poem.txt', top: 0 })).toMatchObject({
      total: { words: 6 },
      top_words: [],
      distinct_words: 0,
    });
  });

  it('knows the edges: nothing, and nothing but a byte order mark', async () => {
    expect(await count({ path: 'empty.txt' })).toMatchObject({
      total: { lines: 0, words: 0, characters: 0, bytes: 0 },
    });
    expect(await count({ path: 'marked.txt' })).toMatchObject({
      total: { lines: 1, words: 1, characters: 4, bytes: 7 },
    });
  });

  it('counts characters and words right across the parts it reads', async () => {
    // 65,536 bytes are read at once; an odd prefix puts a ship (4 bytes) on every border.
    const text = `x${'🚢 schooner '.repeat(40_000)}`;
    await workspace.write('large.txt', text);
    expect(await count({ path: 'large.txt' })).toMatchObject({
      total: {
        lines: 1,
        words: 40_001,
        characters: [...text].length,
        bytes: Buffer.byteLength(text),
      },
      top_words: [
        { word: 'schooner', count: 40_000 },
        { word: 'x', count: 1 },
      ],
    });
  });

  it('reports progress in bytes', async () => {
    const { progress } = await runTool(workspace.tool('text_count'), { path: 'large.txt' });
    expect(progress.length).toBeGreaterThan(5);
    expect(progress.at(-1)).toMatchObject({ done: 560_001, total: 560_001, message: 'large.txt' });
  });

  it('stops within a file when it is told to', async () => {
    const run = startTool(
      workspace.tool('text_count'),
      { path: 'large.txt' },
      { onProgress: () => run.abort(new Error('enough')) },
    );
    await expect(run.output).rejects.toThrow('enough');
    expect(run.progress).toHaveLength(1);
  });

  it.each([
    ['latin1.txt', 'is not UTF-8 text'],
    ['utf16.txt', 'is UTF-16 text'],
    ['books/picture.png', 'is not UTF-8 text'],
    ['missing.txt', 'missing.txt does not exist'],
    ['../secret.txt', 'is outside the directories'],
    ['/etc/passwd', 'is outside the directories'],
    ['nothing/*.txt', 'nothing does not exist'],
    ['*.nothing', 'no file in . matches'],
  ])('refuses %s', async (path, message) => {
    await expect(count({ path })).rejects.toThrow(message);
    await expect(count({ path })).rejects.toBeInstanceOf(ToolError);
  });

  it.each([{}, { path: '' }, { path: 'a.txt', top: -1 }, { path: 'a.txt', tpo: 3 }])(
    'refuses the arguments %j',
    async (input) => {
      await expect(count(input)).rejects.toBeInstanceOf(ToolSchemaError);
    },
  );
});

describe('a second attempt of text_count', () => {
  const MEBIBYTE = 1_048_576;

  beforeAll(async () => {
    for (const name of ['a', 'b', 'c']) {
      await workspace.write(`saved/${name}.txt`, `${name} `.repeat(MEBIBYTE / 2));
    }
  });

  it('does not read again what was counted, and comes to the same result', async () => {
    const tool = workspace.tool('text_count');
    const whole = await runTool(tool, { path: 'saved' });
    const first = startTool(
      tool,
      { path: 'saved' },
      {
        onProgress: ({ done }) => {
          if (done > 1.5 * MEBIBYTE) first.abort(new Error('worker lost'));
        },
      },
    );
    await expect(first.output).rejects.toThrow('worker lost');
    // Had the second attempt read it again, the new content would show in the result.
    await workspace.write('saved/a.txt', 'changed '.repeat(MEBIBYTE / 8));
    const second = await runTool(
      tool,
      { path: 'saved' },
      { attempt: 2, checkpoints: first.checkpoints },
    );
    expect(second.output).toEqual(whole.output);
    expect(second.progress[0]).toMatchObject({ done: MEBIBYTE });
  });

  it('saves nothing of a single file', async () => {
    const { output, checkpoints } = await runTool(workspace.tool('text_count'), {
      path: 'saved/b.txt',
    });
    expect(output).toMatchObject({ files_counted: 1, top_words: [{ word: 'b' }] });
    expect(checkpoints.size).toBe(0);
  });

  it('does not build on a checkpoint it can not read', async () => {
    const { checkpoints } = await runTool(workspace.tool('text_count'), { path: 'saved' });
    const broken = new Map<string, Json>([...checkpoints, ['text_count/1', { nonsense: true }]]);
    await expect(
      runTool(workspace.tool('text_count'), { path: 'saved' }, { checkpoints: broken }),
    ).rejects.toThrow();
  });
});
