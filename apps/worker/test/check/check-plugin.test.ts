import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { testHost } from '@longshore/plugin/testing';
import { checkPlugin } from '../../src/check/check-plugin.ts';

const IMPORT = `import { defineTool, definePrompt, defineResource, definePlugin, z } from '@longshore/plugin';\n`;

/** A tool with something changed; begins at line 2 of the module. */
const tool = (over: string) => `${IMPORT}export const greet = defineTool({
  name: 'greet',
  description: 'Greets somebody by name.',
  input: z.object({ who: z.string().describe('Whom.') }),
  run: ({ who }) => 'hello ' + who,
  ${over}
});
`;

let project: string;

beforeEach(async () => {
  // Inside the repository, so that plugins find the plugin package as real ones do.
  const base = path.join(import.meta.dirname, '..', '..', '..', '..', '.cache');
  await mkdir(base, { recursive: true });
  project = await mkdtemp(path.join(base, 'check-'));
});
afterEach(() => rm(project, { recursive: true }));

async function check(code: string, name = 'plugin.mjs') {
  await writeFile(path.join(project, name), code);
  return checkPlugin({
    specifier: `./${name}`,
    search: { currentDirectory: project, workerDirectory: project },
    host: testHost(),
    importTimeoutMs: 2_000,
  });
}

describe('what a worker refuses', () => {
  it.each<[string, string, string, number | null]>([
    ['a name MCP forbids', tool(`name: 'say hello',`), `tool name "say hello": use 1 to 128`, 2],
    ['no description', tool('description: undefined,'), 'description is missing: say what', 2],
    ['a schema that is no object', tool('input: z.string(),'), 'must be an object schema', 2],
    ['a plain object for a schema', tool(`input: { who: 'x' },`), 'input is no zod schema', 2],
    ['an output JSON has not', tool('output: z.object({ at: z.date() }),'), 'output.at is a Da', 2],
    ['an unknown option', tool('timeout: 5,'), 'timeout is not a known option (known: name,', 2],
    ['no run', tool('run: undefined,'), "tool 'greet' has no run(input, ctx) function", 2],
    ['a wrong prompt', `${IMPORT}definePrompt({ name: 'x' });`, "prompt 'x' has no run(args", 2],
    ['a wrong resource', `${IMPORT}\ndefineResource({ name: 'x' });`, 'write either uri, such', 3],
    ['a wrong plugin', `${IMPORT}\n\ndefinePlugin({});`, 'use a text that operators will kn', 4],
    ['an error of its own', 'const a = 1;\nthrow new Error("no licence");', 'no licence', 2],
    ['a missing export', `\nimport { nothing } from '@longshore/plugin';`, "named 'nothing'", null],
    ['no tool', 'export const a = 1;', "no export is a tool, prompt or resource (found 'a')", null],
    [
      'two tools of one name',
      `${tool('')}export const other = defineTool({ name: 'greet', input: z.object({}), run: () => '', description: 'x' });`,
      "two tools are named 'greet' (exports 'greet' and 'other'): rename one",
      null,
    ],
    [
      'a tool made without defineTool',
      `export const greet = { name: 'greet', description: 'x', run() {} };`,
      "export 'greet' is a plain object: pass it through defineTool",
      null,
    ],
    [
      'a name of the server',
      tool(`name: 'batch',`),
      "its tool 'batch' has a name the server keeps for itself: rename it",
      null,
    ],
    [
      'an import that never ends',
      'await new Promise(() => {});',
      'did not end within 2000 ms',
      null,
    ],
  ])('%s', async (_what, code, message, line) => {
    const { problem, offers } = await check(code);
    expect(problem?.message).toContain(message);
    expect(problem?.message).not.toContain('./plugin.mjs');
    expect(offers).toEqual([]);
    if (line === null) return;
    expect(problem?.place).toMatchObject({ file: path.join(project, 'plugin.mjs'), line });
  });

  it('says where a folder has no module', async () => {
    await writeFile(path.join(project, 'package.json'), '{"name":"x","exports":"./dist/x.js"}');
    const { problem } = await checkPlugin({
      specifier: project,
      search: { currentDirectory: project, workerDirectory: project },
      host: testHost(),
    });
    expect(problem?.message).toMatch(/dist\/x\.js does not exist; name the module in "exports"/);
  });
});

describe('what models need', () => {
  const findings = async (code: string) => {
    const { problem, offers } = await check(code);
    expect(problem).toBeNull();
    return offers.flatMap((offer) => offer.findings);
  };

  it('finds nothing wrong with what is right', async () => {
    const { problem, offers, name } = await check(tool(''));
    expect([problem, name]).toEqual([null, './plugin.mjs']);
    expect(offers).toMatchObject([{ kind: 'tool', name: 'greet', findings: [] }]);
  });

  it.each<[string, string, string, string]>([
    ['a name hosts refuse', tool(`name: 'text.greet',`), 'warning', "such as 'text_greet'"],
    ['a long name', tool(`name: '${'x'.repeat(65)}',`), 'warning', '64 at most'],
    ['a short description', tool(`description: 'Greets.',`), 'warning', "'Greets.' is short: say"],
    [
      'an argument without words',
      tool('input: z.object({ who: z.string() }),'),
      'warning',
      "argument 'who' has no description: add .describe('...')",
    ],
    [
      'an example that does not fit',
      tool(
        `input: z.object({ who: z.string().describe('Whom.') }).meta({ examples: [{ who: 'a' }, { who: 7 }] }),`,
      ),
      'error',
      'example 1 of input does not fit it: mend {"who":7}',
    ],
    [
      'a prompt without words',
      `${IMPORT}export const p = definePrompt({ name: 'p', run: () => '' });`,
      'warning',
      'has no description: say what it is for',
    ],
    [
      'an argument of a prompt without words',
      `${IMPORT}export const p = definePrompt({ name: 'p', description: 'x', arguments: z.object({ a: z.string() }), run: () => '' });`,
      'warning',
      "argument 'a' has no description",
    ],
    [
      'a resource without words',
      `${IMPORT}export const r = defineResource({ uri: 'a://b', name: 'r', read: () => '' });`,
      'warning',
      'has no description: say what is in it',
    ],
  ])('%s', async (_what, code, level, message) => {
    expect(await findings(code)).toEqual([{ level, message: expect.stringContaining(message) }]);
  });

  it('has another digest when clients see something else, not when code or version do', async () => {
    const digest = async (folder: string, version: string, code: string) => {
      await mkdir(path.join(project, folder));
      const manifest = JSON.stringify({ name: 'mine', version, exports: './p.mjs' });
      await writeFile(path.join(project, folder, 'package.json'), manifest);
      const { offers } = await check(code, `${folder}/p.mjs`);
      return offers[0]?.digest;
    };
    const first = await digest('a', '1.0.0', tool(''));
    expect(first).toMatch(/^[0-9a-f]{16}$/);
    expect(await digest('b', '1.0.1', tool(`run: () => 'ahoy',`))).toBe(first);
    expect(await digest('c', '1.0.0', tool(`description: 'Greets anybody at all.',`))).not.toBe(
      first,
    );
  });
});
