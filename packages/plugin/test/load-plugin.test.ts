import { describe, expect, it } from '@jest/globals';
import {
  definePlugin,
  definePrompt,
  defineResource,
  defineTool,
  PluginDefinitionError,
  type PluginHost,
  z,
} from '@longshore/plugin';
import { loadPlugin, resourceAddress } from '@longshore/plugin/host';
import { testHost } from '@longshore/plugin/testing';

const host: PluginHost = testHost({ directories: ['/srv/data'], dataDir: '/srv/out' });
const tool = (name: string) =>
  defineTool({ name, description: `The ${name} tool.`, input: z.object({}), run: () => name });
const names = (module: unknown) => loadPlugin(module, host).tools.map(({ name }) => name);
const brokenPlugin = definePlugin as unknown as (definition: unknown) => unknown;

describe('loadPlugin', () => {
  it('takes every exported tool and ignores other exports', () => {
    expect(names({ one: tool('one'), two: tool('two'), VERSION: '1', helper: () => 1 })).toEqual([
      'one',
      'two',
    ]);
  });

  it('takes a default export like any other', () => {
    expect(names({ default: tool('only') })).toEqual(['only']);
  });

  it('counts a tool exported under two names once', () => {
    const both = tool('both');
    expect(names({ both, alias: both })).toEqual(['both']);
  });

  it('hands the host to a plugin', () => {
    const seen: PluginHost[] = [];
    const plugin = definePlugin({
      name: 'files',
      tools: (given) => {
        seen.push(given);
        return [tool('a'), tool('b')];
      },
    });
    expect(names({ plugin })).toEqual(['a', 'b']);
    expect(seen).toEqual([host]);
  });

  it('takes tools and plugins of one module together', () => {
    const plugin = definePlugin({ name: 'files', tools: () => [tool('b')] });
    expect(names({ a: tool('a'), plugin })).toEqual(['a', 'b']);
  });

  it('takes prompts and resources likewise', () => {
    const prompt = definePrompt({ name: 'one', run: () => '' });
    const resource = defineResource({ uri: 'a://one', name: 'one', read: () => '' });
    const plugin = definePlugin({
      name: 'p',
      prompts: () => [definePrompt({ name: 'two', run: () => '' })],
      resources: ({ dataDir }) => [
        defineResource({ uriTemplate: 'a://{x}', name: dataDir, read: () => '' }),
      ],
    });
    const loaded = loadPlugin({ one: tool('one'), prompt, resource, plugin }, host);
    expect(loaded.tools.map(({ name }) => name)).toEqual(['one']);
    expect(loaded.prompts.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(loaded.resources.map(resourceAddress)).toEqual(['a://one', 'a://{x}']);
    expect(loadPlugin({ prompt }, host)).toEqual({ tools: [], prompts: [prompt], resources: [] });
  });

  it('works on a real module namespace', async () => {
    const module: unknown = await import('./fixtures/greeting-plugin.ts');
    expect(names(module)).toEqual(['greet']);
  });
});

describe('a mistake in a plugin module', () => {
  it.each<[string, unknown, string]>([
    [
      'no module',
      undefined,
      'a plugin is a module that exports tools, prompts or resources, not undefined',
    ],
    [
      'a function for a module',
      () => 1,
      'a plugin is a module that exports tools, prompts or resources, not function',
    ],
    [
      'no exports',
      {},
      'the module exports nothing: write export const myTool = defineTool({ ... })',
    ],
    [
      'no tool',
      { VERSION: '1', count: 2 },
      "no export is a tool, prompt or resource (found 'VERSION', 'count')",
    ],
    [
      'a definition that did not go through defineTool',
      { greet: { name: 'greet', description: 'x', run: () => 1 } },
      "export 'greet' is a plain object: pass it through defineTool",
    ],
    [
      'a plugin that did not go through definePlugin',
      { plugin: { name: 'x', tools: () => [] } },
      "export 'plugin' is a plain object: pass it through definePlugin",
    ],
    ['tools in an array', { default: [tool('a')] }, "export 'default' is an array of tools"],
    ['tools in an object', { tools: { a: tool('a') } }, "export 'tools' is an object of tools"],
    [
      'two tools of one name',
      { first: tool('same'), second: tool('same') },
      "two tools are named 'same' (exports 'first' and 'second'): rename one",
    ],
    [
      'two tools of one name in a plugin',
      { plugin: definePlugin({ name: 'p', tools: () => [tool('same'), tool('same')] }) },
      "in plugin 'p' two tools are named 'same': rename one",
    ],
    [
      'two prompts of one name',
      {
        a: definePrompt({ name: 'same', run: () => 'a' }),
        b: definePrompt({ name: 'same', run: () => 'b' }),
      },
      "two prompts are named 'same' (exports 'a' and 'b'): rename one",
    ],
    [
      'two resources of one address',
      {
        a: defineResource({ uri: 'x://y', name: 'a', read: () => '' }),
        b: defineResource({ uri: 'x://y', name: 'b', read: () => '' }),
      },
      "two resources have the address 'x://y' (exports 'a' and 'b'): rename one",
    ],
    [
      'a prompt among tools',
      {
        plugin: brokenPlugin({
          name: 'p',
          tools: () => [definePrompt({ name: 'a', run: () => '' })],
        }),
      },
      "tools(host) of plugin 'p': element 0 is an object: make each tool with defineTool",
    ],
    [
      'a resource that did not go through defineResource',
      { notes: { uri: 'x://y', name: 'a', read: () => '' } },
      "export 'notes' is a plain object: pass it through defineResource",
    ],
    [
      'a plugin without tools',
      { plugin: definePlugin({ name: 'p', tools: () => [] }) },
      "plugin 'p' returned no tools",
    ],
    [
      'a plugin that throws',
      {
        plugin: definePlugin({
          name: 'p',
          tools: () => {
            throw new Error('no licence key');
          },
        }),
      },
      "tools(host) of plugin 'p' failed: no licence key",
    ],
    [
      'a plugin that returns a promise',
      {
        plugin: brokenPlugin({ name: 'p', tools: async () => Promise.reject(new Error('later')) }),
      },
      "tools(host) of plugin 'p' (export 'plugin') returned a promise: return an array of tools",
    ],
    [
      'a plugin that returns something else',
      { plugin: brokenPlugin({ name: 'p', tools: () => [tool('a'), { name: 'b' }] }) },
      "tools(host) of plugin 'p': element 1 is an object: make each tool with defineTool",
    ],
  ])('%s is named', (_what, module, message) => {
    expect(() => loadPlugin(module, host)).toThrow(PluginDefinitionError);
    expect(() => loadPlugin(module, host)).toThrow(message);
  });

  it('of definePlugin itself is named when the module loads', () => {
    expect(() => brokenPlugin({ name: ' ', tools: () => [] })).toThrow('plugin name " "');
    expect(() => brokenPlugin({ name: 'p' })).toThrow("plugin 'p' has no tools function");
    expect(() => brokenPlugin({ name: 'p', tools: () => [], prompts: [] })).toThrow(
      "plugin 'p': prompts is no function",
    );
    expect(() => brokenPlugin(null)).toThrow('definePlugin takes an object');
  });
});
