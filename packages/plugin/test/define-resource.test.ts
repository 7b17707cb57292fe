import { describe, expect, it } from '@jest/globals';
import { defineResource, PluginDefinitionError, ResourceNotFound } from '@longshore/plugin';
import { isResource } from '@longshore/plugin/host';
import { readResource } from '@longshore/plugin/testing';

const today = defineResource({
  uri: 'notes://today',
  name: 'today',
  mimeType: 'text/markdown',
  annotations: { audience: ['user'], priority: 1 },
  read: () => '# Today',
});

const note = defineResource({
  uriTemplate: 'notes://{year}/day-{day}.md',
  name: 'note',
  timeoutMs: 5,
  queue: 'notes',
  complete: { year: (value) => ['2025', '2026'].filter((year) => year.startsWith(value)) },
  read: ({ uri, variables: { year, day } }) => (year === '1999' ? null : `${uri} ${year} ${day}`),
});

describe('defineResource', () => {
  it('fills in the defaults', () => {
    expect(today).toMatchObject({
      address: { kind: 'uri', uri: 'notes://today' },
      name: 'today',
      title: null,
      description: null,
      mimeType: 'text/markdown',
      annotations: { audience: ['user'], priority: 1 },
      completes: [],
      policy: { timeoutMs: 60_000, queue: 'default' },
    });
    expect(note).toMatchObject({
      address: { kind: 'template', template: 'notes://{year}/day-{day}.md' },
      completes: ['year'],
      policy: { timeoutMs: 5, queue: 'notes' },
    });
    expect(isResource(note)).toBe(true);
    expect(isResource({})).toBe(false);
  });

  it('reads text, with the type and the URI the author did not repeat', async () => {
    const { contents } = await readResource(today, 'notes://today');
    expect(contents).toEqual([
      { uri: 'notes://today', mimeType: 'text/markdown', text: '# Today' },
    ]);
    expect((await readResource(today, 'notes://tomorrow')).contents).toBeNull();
  });

  it.each<[string, string | null]>([
    ['notes://2026/day-07.md', 'notes://2026/day-07.md 2026 07'],
    ['notes://a%20b/day-%2F.md', 'notes://a%20b/day-%2F.md a b /'],
    ['notes://2026/day-.md', null],
    ['notes://2026/x/day-1.md', null],
    ['notes://2026/day-1xmd', null],
    ['notes://2026/day-%zz.md', null],
    ['notes://1999/day-1.md', null],
  ])('reads %s by its template', async (uri, text) => {
    const { contents } = await readResource(note, uri);
    expect(contents).toEqual(text === null ? null : [{ uri, text }]);
  });

  it('takes bytes, base64 and several parts', async () => {
    const read = async (returned: Parameters<typeof constant>[0]) =>
      (await readResource(constant(returned), 'test://x')).contents;
    const constant = (
      returned: Awaited<ReturnType<Parameters<typeof defineResource>[0]['read']>>,
    ) => defineResource({ uri: 'test://x', name: 'x', mimeType: 'a/b', read: () => returned });
    expect(await read({ blob: new Uint8Array([1, 2, 3]) })).toEqual([
      { uri: 'test://x', mimeType: 'a/b', blob: 'AQID' },
    ]);
    expect(await read({ blob: 'AQID', mimeType: 'c/d' })).toEqual([
      { uri: 'test://x', mimeType: 'c/d', blob: 'AQID' },
    ]);
    expect(await read([{ text: 'a' }, { text: 'b', uri: 'test://x/b' }])).toEqual([
      { uri: 'test://x', mimeType: 'a/b', text: 'a' },
      { uri: 'test://x/b', mimeType: 'a/b', text: 'b' },
    ]);
  });

  it.each([[undefined], [7], [[]], [{ blob: 'not base64!' }], [{ text: 'a', blob: 'AQID' }]])(
    'refuses to return %j',
    async (returned) => {
      const bad = defineResource({
        uri: 'test://x',
        name: 'x',
        read: () => returned as unknown as string,
      });
      await expect(readResource(bad, 'test://x')).rejects.toThrow('read returns a text, { text }');
    },
  );

  it('takes ResourceNotFound for null, and nothing else', async () => {
    const throwing = (error: Error) =>
      defineResource({
        uri: 'test://x',
        name: 'x',
        read: () => {
          throw error;
        },
      });
    const gone = await readResource(throwing(new ResourceNotFound('gone')), 'test://x');
    expect(gone.contents).toBeNull();
    await expect(readResource(throwing(new Error('disk')), 'test://x')).rejects.toThrow('disk');
  });

  it('suggests values for its variables', async () => {
    const ctx = { signal: new AbortController().signal, principal: 'p', arguments: {} };
    expect((await note.complete('year', '2026', ctx)).values).toEqual(['2026']);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['no address', { uri: undefined }, 'write either uri, such as'],
    ['two addresses', { uriTemplate: 'a://{b}' }, 'resource "test://x": write either uri, such as'],
    ['a relative URI', { uri: 'x' }, 'uri is no absolute URI'],
    ['no name', { name: undefined }, 'name is missing: it is what users know the resource by'],
    ['no read', { read: null }, 'has no read({ uri, variables }, ctx) function'],
    ['an unknown option', { size: 1 }, 'size is not a known option (known: uri, uriTemplate, name'],
    ['a bad hint', { annotations: { audience: ['all'] } }, 'annotations.audience.0'],
    ['a completion of a URI', { complete: { a: () => [] } }, 'complete.a is of no argument'],
  ])('names %s and its remedy', (_what, change, message) => {
    const define = defineResource as unknown as (definition: unknown) => unknown;
    const broken = () => define({ uri: 'test://x', name: 'x', read: () => 'x', ...change });
    expect(broken).toThrow(PluginDefinitionError);
    expect(broken).toThrow(message);
  });

  it.each([
    ['a://b', 'it has no {variable}: use uri instead'],
    ['a://{+path}', '{+path} is no variable of a URI template of level 1'],
    ['a://{x}/{x}', '{x} stands in it twice'],
    ['a://{x}{y}', '{y} follows another variable without a text between them'],
    ['a://{x}/}', 'a brace in it has no partner'],
    ['{x}', 'it makes no absolute URIs'],
  ])('says what is wrong with the template %s', (uriTemplate, message) => {
    expect(() => defineResource({ uriTemplate, name: 'x', read: () => 'x' })).toThrow(message);
  });
});
