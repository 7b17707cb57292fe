import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ToolError } from '@longshore/plugin';
import { runTool, startTool } from '@longshore/plugin/testing';
import * as plugin from '@longshore/plugin-text';
import { createPluginWorkspace, type PluginWorkspace } from '@longshore/testing/plugins';

let workspace: PluginWorkspace;

beforeAll(async () => {
  workspace = await createPluginWorkspace(plugin);
  await workspace.write('logs/a.log', 'ok\nerror: disk (a+b)\r\nERROR: again\n');
  await workspace.write('logs/b.log', `start\n${'padding\n'.repeat(100_000)}error: late\nend`);
  await workspace.write('logs/image.bin', Buffer.from([0xff, 0xd8, 0, 0]));
  await workspace.write('long.txt', `${'x'.repeat(5_000)}needle${'y'.repeat(5_000)}`);
  await workspace.write('ships.txt', `${'🚢'.repeat(200)}needle${'🚢'.repeat(400)}`);
  await workspace.write('aaaa.txt', `${'a'.repeat(40)}!\n`);
});

afterAll(() => workspace.remove());

const search = async (input: object) =>
  (await runTool(workspace.tool('text_search'), input)).output;

describe('text_search', () => {
  it('finds a text with path, line and column', async () => {
    expect(await search({ path: 'logs', query: 'error' })).toEqual({
      matches: [
        { path: 'logs/a.log', line: 2, column: 1, text: 'error: disk (a+b)' },
        { path: 'logs/b.log', line: 100_002, column: 1, text: 'error: late' },
      ],
      matching_lines: 2,
      truncated: false,
      files_searched: 2,
      files_with_matches: 2,
      files_skipped: 1,
      skipped: [
        {
          path: 'logs/image.bin',
          reason: expect.stringContaining('is not UTF-8 text'),
        },
      ],
    });
  });

  it('takes a text literally', async () => {
    expect(await search({ path: 'logs/a.log', query: '(a+b)' })).toMatchObject({
      matches: [{ line: 2, column: 13 }],
    });
    expect(await search({ path: 'logs/a.log', query: '.*' })).toMatchObject({ matches: [] });
  });

  it('matches regular expressions line by line', async () => {
    const output = await search({
      path: 'logs/*.log',
      query: '^error: \\w+$',
      regex: true,
      ignore_case: true,
    });
    expect(output).toMatchObject({
      matches: [{ line: 3, text: 'ERROR: again' }, { text: 'error: late' }],
    });
  });

  it('takes expressions that Unicode mode would refuse', async () => {
    expect(await search({ path: 'logs/a.log', query: 'disk\\ \\(', regex: true })).toMatchObject({
      matches: [{ line: 2 }],
    });
  });

  it('returns no more than asked, and counts all', async () => {
    expect(await search({ path: 'logs', query: 'padding', max_matches: 3 })).toMatchObject({
      matches: [{ line: 2 }, { line: 3 }, { line: 4 }],
      matching_lines: 100_000,
      truncated: true,
    });
  });

  it('shows the part of a long line around the match', async () => {
    const output = await search({ path: 'long.txt', query: 'needle' });
    expect(output).toMatchObject({ matches: [{ line: 1, column: 5_001 }] });
    const [match] = (output as { matches: { text: string }[] }).matches;
    expect(match?.text).toBe(`${'x'.repeat(100)}needle${'y'.repeat(294)}`);
  });

  it('never shows half a character', async () => {
    const output = await search({ path: 'ships.txt', query: '.needle', regex: true });
    const [match] = (output as { matches: { text: string }[] }).matches;
    expect(match?.text).toMatch(/^(🚢)+needle(🚢)+$/u);
  });

  it('can be stopped while such a pattern runs', async () => {
    const controller = new AbortController();
    const run = startTool(
      workspace.tool('text_search'),
      { path: 'aaaa.txt', query: '^(a+)+$', regex: true },
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(new Error('enough')), 100);
    await expect(run.output).rejects.toThrow('enough');
  });

  it('reports progress in bytes', async () => {
    const { progress } = await runTool(workspace.tool('text_search'), {
      path: 'logs/b.log',
      query: 'q',
    });
    expect(progress.at(-1)).toMatchObject({ done: 800_021, total: 800_021, message: 'logs/b.log' });
  });

  it.each([
    [{ path: 'logs', query: '(', regex: true }, 'query is no JavaScript regular expression'],
    [{ path: 'logs', query: '(?P<year>\\d+)', regex: true }, 'query is no JavaScript regular'],
    [{ path: 'logs/image.bin', query: 'x' }, 'is not UTF-8 text'],
    [{ path: '../', query: 'x' }, 'is outside the directories'],
  ])('refuses %j', async (input, message) => {
    await expect(search(input)).rejects.toThrow(message);
    await expect(search(input)).rejects.toBeInstanceOf(ToolError);
  });
});
