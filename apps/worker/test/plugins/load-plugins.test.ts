import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { testHost } from '@longshore/plugin/testing';
import { type LoadPluginsOptions, loadPlugins } from '../../src/plugins/load-plugins.ts';
import { cardsOf } from '../../src/plugins/offers.ts';

const TOOL = (name: string) => `
import { defineTool, z } from '@longshore/plugin';
export const ${name} = defineTool({
  name: '${name}',
  title: 'A title',
  description: 'Does ${name}.',
  input: z.object({ n: z.int() }),
  task: { queue: 'work', attempts: 3, immediateResponse: 'soon' },
  run: ({ n }) => String(n),
});
`;

describe('loadPlugins', () => {
  let project: string;
  let worker: string;

  beforeEach(async () => {
    // Inside the repository, so that plugins find the plugin package as real ones do.
    const base = path.join(import.meta.dirname, '..', '..', '..', '..', '.cache');
    await mkdir(base, { recursive: true });
    project = await mkdtemp(path.join(base, 'plugins-'));
    worker = path.join(project, 'elsewhere', 'worker');
    await mkdir(worker, { recursive: true });
  });
  afterEach(async () => {
    await rm(project, { recursive: true });
  });

  async function write(files: Readonly<Record<string, string>>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(project, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, text);
    }
  }

  const open = (specifiers: readonly string[], options: Partial<LoadPluginsOptions> = {}) =>
    loadPlugins({
      specifiers,
      search: { currentDirectory: project, workerDirectory: worker },
      host: testHost({ directories: [project], dataDir: path.join(project, 'data') }),
      ...options,
    });

  const load = async (...args: Parameters<typeof open>) => (await open(...args)).collect();

  it('loads a file and describes its tools for the catalogue', async () => {
    await write({ 'my.mjs': TOOL('count') });
    const { tools, prompts, resources } = await load(['./my.mjs']);
    const [loaded, ...others] = tools;
    expect([others, prompts, resources]).toEqual([[], [], []]);
    expect(loaded?.announced).toMatchObject({
      name: 'count',
      title: 'A title',
      description: 'Does count.',
      inputSchema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      outputSchema: null,
      taskSupport: 'optional',
      immediateResponse: 'soon',
      policy: { queue: 'work', maxAttempts: 3, timeoutMs: 600_000, deadlineMs: null },
      plugin: './my.mjs',
      pluginVersion: '0.0.0',
    });
  });

  it('loads an absolute path and a folder with a package.json, and knows its version', async () => {
    await write({
      'a.mjs': TOOL('a'),
      'folder/package.json': '{"name":"mine","version":"1.2.3","type":"module","main":"lib/b.js"}',
      'folder/lib/b.js': TOOL('b'),
    });
    const { tools } = await load([path.join(project, 'a.mjs'), './folder']);
    expect(tools.map(({ announced }) => [announced.name, announced.plugin])).toEqual([
      ['a', path.join(project, 'a.mjs')],
      ['b', 'mine'],
    ]);
    expect(tools[1]?.announced.pluginVersion).toBe('1.2.3');
  });

  it('knows the package a file lies in', async () => {
    await write({
      'folder/package.json': '{"name":"mine","version":"1.2.3","type":"module"}',
      'folder/lib/b.js': TOOL('b'),
    });
    const [tool] = (await load(['./folder/lib/b.js'])).tools;
    expect(tool?.announced).toMatchObject({ plugin: 'mine', pluginVersion: '1.2.3' });
  });

  it('knows cards by the plugin and by what is in them, wherever the module is', async () => {
    const page = '<!doctype html><title>é</title>';
    const tool = (name: string, csp: object) =>
      `export const ${name} = defineTool({ name: '${name}', description: 'x', input: z.object({}), run: () => '',
        ui: { file: new URL('../pages/card.html', import.meta.url), csp: ${JSON.stringify(csp)} } });`;
    const images = { resourceDomains: ['https://a.example'] };
    await write({
      'folder/package.json': '{"name":"@x/mine","type":"module"}',
      'folder/pages/card.html': page,
      'folder/lib/b.js': `import { defineTool, z } from '@longshore/plugin';
        ${tool('a', {})} ${tool('b', {})} ${tool('c', images)}`,
      'd.mjs': TOOL('d'),
    });
    const { tools } = await load(['./folder/lib/b.js', './d.mjs']);
    const [a, b, c, d] = tools.map(({ announced }) => announced.card);
    expect(a).toMatch(/^ui:\/\/%40x%2Fmine\/[0-9a-f]{32}$/);
    expect([b === a, c === a, d]).toEqual([true, false, null]);
    expect(cardsOf(tools)).toEqual([
      { uri: a, html: page, csp: {} },
      { uri: c, html: page, csp: images },
    ]);
  });

  it('prefers the package beside the worker to the one in the current directory', async () => {
    const manifest = (version: string) =>
      JSON.stringify({
        name: '@x/plugin',
        version,
        type: 'module',
        exports: {
          '.': { require: './no.cjs', import: { types: './no.d.ts', default: './b.js' } },
        },
      });
    await write({
      'node_modules/@x/plugin/package.json': manifest('1.0.0'),
      'node_modules/@x/plugin/b.js': TOOL('b'),
    });
    expect((await load(['@x/plugin'])).tools[0]?.announced.pluginVersion).toBe('1.0.0');
    await write({
      'elsewhere/node_modules/@x/plugin/package.json': manifest('2.0.0'),
      'elsewhere/node_modules/@x/plugin/b.js': TOOL('b'),
    });
    expect((await load(['@x/plugin'])).tools[0]?.announced.pluginVersion).toBe('2.0.0');
  });

  it('hands the granted directories and the network’s rules to a plugin', async () => {
    await write({
      'p.mjs': `
        import { definePlugin, defineTool, z } from '@longshore/plugin';
        export const plugin = definePlugin({ name: 'p', tools: (host) => [defineTool({
          name: 'where', description: JSON.stringify(host), input: z.object({}), run: () => 'x',
        })] });`,
    });
    const [tool] = (await load(['./p.mjs'])).tools;
    expect(JSON.parse(tool?.announced.description ?? '')).toEqual({
      directories: [project],
      dataDir: path.join(project, 'data'),
      fileLimits: { fileBytes: 2 ** 30, principalBytes: 2 ** 34 },
      network: { hosts: [], privateHosts: [], userAgent: 'longshore-test/1.0' },
    });
  });

  it('collects what a plugin offers by then', async () => {
    await write({
      'p.mjs': `
        import { definePlugin, defineTool, z } from '@longshore/plugin';
        let made = 0;
        export const plugin = definePlugin({ name: 'p', tools: () => [defineTool({
          name: \`tool_\${++made}\`, description: 'Is there once.', input: z.object({}), run: () => 'x',
        })] });`,
    });
    const plugins = await open(['./p.mjs']);
    const names = () => plugins.collect().tools.map(({ tool }) => tool.name);
    expect([names(), names()]).toEqual([['tool_1'], ['tool_2']]);
  });

  it('loads a plugin once that is named twice', async () => {
    await write({ 'a.mjs': TOOL('a') });
    expect((await load(['./a.mjs', './a.mjs'])).tools).toHaveLength(1);
  });

  it('loads each module and each folder of a folder, and nothing else of it', async () => {
    await write({
      'own/b.mjs': TOOL('b'),
      'own/a.mjs': TOOL('a'),
      'own/c/package.json': '{"name":"mine","type":"module","main":"c.js"}',
      'own/c/c.js': TOOL('c'),
      'own/notes.md': 'Not a plugin.',
      'own/a.d.ts': 'export declare const a: unknown;',
      'own/.env': 'KEY=secret',
      'own/.git/config': '',
      'own/node_modules/x/package.json': '{}',
    });
    const { tools } = await load(['./own/*']);
    expect(tools.map(({ announced }) => [announced.name, announced.plugin])).toEqual([
      ['a', './own/a.mjs'],
      ['b', './own/b.mjs'],
      ['c', 'mine'],
    ]);
  });

  it('takes a folder without plugins for what it is, beside others', async () => {
    await write({ 'own/README.md': '', 'my.mjs': TOOL('count') });
    expect((await load(['./my.mjs', './own/*'])).tools).toHaveLength(1);
    await expect(load(['./own/*'])).rejects.toThrow('PLUGINS names no plugin');
  });

  it.each<[string, string, RegExp]>([
    [
      'is a folder that is not there',
      './none/*',
      /plugin '.\/none\/\*': not found: there is no \S+none$/,
    ],
    [
      'is in a folder and no plugin',
      './folder/*',
      /plugin '.\/folder\/bare.mjs': .*no export is a tool/,
    ],
    ['is not there', './none.mjs', /plugin '.\/none.mjs': not found: there is no \S+none.mjs/],
    ['is not installed', '@x/none', /plugin '@x\/none': not found: no package of this name/],
    ['has no entry', './empty', /plugin '.\/empty': not found: its entry \S+index.js/],
    ['throws', './throws.mjs', /plugin '.\/throws.mjs': its import failed: no licence$/],
    ['can not be parsed', './syntax.mjs', /plugin '.\/syntax.mjs': its import failed: /],
    ['exports no tools', './bare.mjs', /plugin '.\/bare.mjs': .*no export is a tool/],
    ['has a wrong tool', './wrong.mjs', /plugin '.\/wrong.mjs': its import failed: tool/],
    ['takes a name of ours', './name.mjs', /plugin '.\/name.mjs': its tool 'batch' has a name/],
    ['never ends', './hangs.mjs', /plugin '.\/hangs.mjs': its import did not end within 300 ms/],
    ['has a broken manifest', './broken', /plugin '.\/broken': \S+package.json is not a valid/],
  ])('names a plugin that %s, and the reason', async (_name, specifier, message) => {
    await write({
      'empty/readme.txt': '',
      'throws.mjs': "throw new Error('no licence');",
      'syntax.mjs': 'export const = 1;',
      'bare.mjs': 'export const x = 1;',
      'folder/bare.mjs': 'export const x = 1;',
      'wrong.mjs': TOOL('ok').replace("name: 'ok'", "name: 'not ok'"),
      'name.mjs': TOOL('batch'),
      'hangs.mjs': 'await new Promise(() => setInterval(() => {}, 1e9).unref());',
      'broken/package.json': '{',
    });
    await expect(load([specifier], { importTimeoutMs: 300 })).rejects.toMatchObject({
      code: 'PLUGIN_LOAD_FAILED',
      message: expect.stringMatching(message),
    });
  });

  it('loads prompts and resources, and describes them for the catalogue', async () => {
    await write({
      'p.mjs': `
        import { definePrompt, defineResource, z } from '@longshore/plugin';
        export const hello = definePrompt({
          name: 'hello', description: 'Greets.', timeoutMs: 7, queue: 'words',
          arguments: z.object({ who: z.string().describe('Whom.'), how: z.string().optional() }),
          complete: { who: () => [] }, run: () => 'x',
        });
        export const note = defineResource({
          uriTemplate: 'notes://{day}', name: 'note', mimeType: 'text/plain',
          annotations: { priority: 1 }, read: () => 'x',
        });`,
    });
    const { tools, prompts, resources } = await load(['./p.mjs']);
    expect(tools).toEqual([]);
    expect(prompts.map(({ announced }) => announced)).toEqual([
      {
        name: 'hello',
        title: null,
        description: 'Greets.',
        arguments: [
          { name: 'who', description: 'Whom.', required: true },
          { name: 'how', description: null, required: false },
        ],
        completes: ['who'],
        policy: { queue: 'words', timeoutMs: 7 },
        plugin: './p.mjs',
        pluginVersion: '0.0.0',
      },
    ]);
    expect(resources.map(({ announced }) => announced)).toEqual([
      {
        name: 'note',
        title: null,
        description: null,
        address: { kind: 'template', template: 'notes://{day}' },
        mimeType: 'text/plain',
        annotations: { priority: 1 },
        completes: [],
        policy: { queue: 'default', timeoutMs: 60_000 },
        plugin: './p.mjs',
        pluginVersion: '0.0.0',
      },
    ]);
  });

  it.each([
    ...['batch', 'retry_failed'],
    ...[
      'job_answer',
      'job_cancel',
      'job_list',
      'job_result',
      'job_retry',
      'job_status',
      'job_wait',
    ],
  ])('keeps the name %s for the server', async (name) => {
    await write({ 'name.mjs': TOOL(name) });
    await expect(load(['./name.mjs'])).rejects.toMatchObject({
      code: 'PLUGIN_LOAD_FAILED',
      message: expect.stringContaining(`its tool '${name}' has a name the server keeps`),
    });
  });

  it('names both plugins that have a prompt of the same name or a resource of the same address', async () => {
    const imports = "import { definePrompt, defineResource } from '@longshore/plugin';";
    const prompt = `${imports} export const p = definePrompt({ name: 'same', run: () => 'x' });`;
    const resource = `${imports} export const r = defineResource({ uri: 'a://b', name: 'r', read: () => 'x' });`;
    await write({ 'a.mjs': prompt, 'b.mjs': prompt, 'c.mjs': resource, 'd.mjs': resource });
    await expect(load(['./a.mjs', './b.mjs', './c.mjs', './d.mjs'])).rejects.toThrow(
      "plugin './b.mjs': its prompt 'same' has the name of one of plugin './a.mjs': load only one of the two\n" +
        "plugin './d.mjs': its resource 'a://b' has the address of one of plugin './c.mjs'",
    );
  });

  it('names both plugins that have a tool of the same name', async () => {
    await write({ 'a.mjs': TOOL('same'), 'b.mjs': TOOL('same') });
    await expect(load(['./a.mjs', './b.mjs'])).rejects.toThrow(
      "plugin './b.mjs': its tool 'same' has the name of one of plugin './a.mjs'",
    );
  });

  it('says how to do without a bundled plugin that has the name', async () => {
    const bundled = 'node_modules/@longshore/plugin-text';
    await write({
      [`${bundled}/package.json`]: '{"name":"@longshore/plugin-text","exports":"./index.mjs"}',
      [`${bundled}/index.mjs`]: TOOL('text_count'),
      'a.mjs': TOOL('text_count'),
    });
    await expect(load(['@longshore/plugin-text', './a.mjs'])).rejects.toThrow(
      "of one of plugin '@longshore/plugin-text': rename it, or leave out those that come along with BUNDLED_PLUGINS=false",
    );
  });

  it('names all plugins that fail', async () => {
    await expect(load(['./one.mjs', './two.mjs'])).rejects.toThrow(/one\.mjs[\s\S]*\n.*two\.mjs/);
  });

  it('refuses to work without any plugin', async () => {
    await expect(load([])).rejects.toThrow('PLUGINS names no plugin');
  });
});
