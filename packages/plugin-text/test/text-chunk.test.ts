import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { runTool, startTool, ToolSchemaError } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-text';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

let workspace: PluginWorkspace;
const log = Array.from({ length: 20_000 }, (_, index) => `entry ${index}: wind north\n`).join('');

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  await workspace.write('log.txt', log);
  await workspace.write('empty.txt', '');
  await workspace.write('image.bin', Buffer.from([1, 0, 0, 0, 2]));
});

afterAll(() => workspace.remove());

const chunk = async (input: object) => (await runTool(workspace.tool('text_chunk'), input)).output;

describe('text_chunk', () => {
  it('returns the first chunks and says that there are more', async () => {
    const output = await chunk({ path: 'log.txt', unit: 'lines', size: 2, max_chunks: 2 });
    expect(output).toEqual({
      chunks: 2,
      truncated: true,
      path: null,
      bytes: null,
      items: [
        {
          index: 0,
          start_line: 1,
          start: 0,
          end: 42,
          text: 'entry 0: wind north\nentry 1: wind north\n',
        },
        {
          index: 1,
          start_line: 3,
          start: 40,
          end: 80,
          text: 'entry 2: wind north\nentry 3: wind north\n',
        },
      ].map((item, index) => ({ ...item, start: index * 40, end: index * 40 + 40 })),
    });
  });

  it('does not say so when there are not', async () => {
    expect(await chunk({ path: 'log.txt', unit: 'lines', size: 20_000 })).toMatchObject({
      chunks: 0,
      truncated: true,
    });
    expect(await chunk({ path: 'empty.txt', size: 10 })).toMatchObject({
      chunks: 0,
      truncated: false,
      items: [],
    });
  });

  it('writes all chunks to a file that the same user can read', async () => {
    const run = await runTool(workspace.tool('text_chunk'), {
      path: 'log.txt',
      size: 1_000,
      overlap: 100,
      save_as: 'log.jsonl',
    });
    const { path, chunks, bytes } = run.output as { path: string; chunks: number; bytes: number };
    const written = await readFile(path, 'utf8');
    const items = written
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(items).toHaveLength(chunks);
    expect(bytes).toBe(Buffer.byteLength(written));
    expect(items.map(({ text, start }) => log.startsWith(text, start))).not.toContain(false);
    expect(items.at(-1).end).toBe(log.length);
    const counted = await runTool(workspace.tool('text_count'), { path });
    expect(counted.output).toMatchObject({ total: { lines: chunks, bytes } });
    expect(run.progress.at(-1)).toMatchObject({ done: log.length, total: log.length });
  });

  it('leaves no file when it is stopped', async () => {
    const run = startTool(
      workspace.tool('text_chunk'),
      { path: 'log.txt', size: 10, save_as: 'stopped.jsonl' },
      { taskId: 'stopped', principal: 'ann', onProgress: () => run.abort(new Error('enough')) },
    );
    await expect(run.output).rejects.toThrow('enough');
    expect(await readdir(join(workspace.host.dataDir, 'ann/stopped'))).toEqual([]);
  });

  it.each([
    [{ path: 'log.txt', size: 10, overlap: 6 }, 'overlap (6) must be at most half of size (10)'],
    [{ path: 'log.txt', size: 10, save_as: '../x.jsonl' }, 'is no file name'],
    [{ path: 'image.bin', size: 10 }, 'image.bin is a binary file'],
    [{ path: '.', size: 10 }, 'is a directory'],
    [{ path: '../x', size: 10 }, 'is outside the directories'],
  ])('refuses %j', async (input, message) => {
    await expect(chunk(input)).rejects.toThrow(message);
    await expect(chunk(input)).rejects.toBeInstanceOf(ToolError);
  });

  it.each([{ path: 'log.txt' }, { path: 'log.txt', size: 0 }, { path: 'log.txt', size: 200_000 }])(
    'refuses the arguments %j',
    async (input) => {
      await expect(chunk(input)).rejects.toBeInstanceOf(ToolSchemaError);
    },
  );
});
