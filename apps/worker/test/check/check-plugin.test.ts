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

const card = (body: string, csp = '{}') =>
  tool(`ui: { html: ${JSON.stringify(`<!doctype html>${body}`)}, csp: ${csp} },`);

const CSP = `{ resourceDomains: ['https://*.example.com:8443'], frameDomains: ['https://a.example'] }`;

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
  it.each<[string, string, string | RegExp, number | null]>([
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
    ...(
      [
        ['of nothing', '{}', 'must have either html or file, new URL('],
        [
          'of two documents',
          `{ html: '<!doctype html>', file: new URL('file:///x') }`,
          'must have either html or file',
        ],
        [
          'that is no whole document',
          `{ html: '<p>Hello' }`,
          "ui.html is no whole HTML document: begin it with '<!doctype",
        ],
        [
          'that is too large',
          `{ html: '<!doctype html>' + 'é'.repeat(524_288) }`,
          'ui.html has 1048591 bytes: hosts read at most 1048576',
        ],
        ['with a NUL', String.raw`{ html: '<!doctype html>\0' }`, 'has a NUL character'],
        [
          'at a path',
          `{ file: './card.html' }`,
          `ui.file must be a URL, new URL('./card.html', import.meta.url), not "./card.html"`,
        ],
        [
          'of the network',
          `{ file: new URL('https://example.com/card.html') }`,
          'must be the URL of a file',
        ],
        [
          'that may use whatever it likes',
          `{ html: '<!doctype html>', csp: { resourceDomains: ['*'] } }`,
          `csp.resourceDomains.0 must be an origin such as 'https://tiles.example.com', not "*"`,
        ],
        [
          'that ends a policy',
          `{ html: '<!doctype html>', csp: { connectDomains: ["https://a.example; script-src *"] } }`,
          'must be an origin',
        ],
        [
          'with a path for an origin',
          `{ html: '<!doctype html>', csp: { frameDomains: ['https://a.example/b'] } }`,
          'must be an origin',
        ],
        [
          'with another key',
          `{ html: '<!doctype html>', csp: { scriptDomains: [] } }`,
          'ui.csp.scriptDomains is not a known option (known: connectDomains,',
        ],
        [
          'that is missing',
          `{ file: new URL('./none.html', import.meta.url) }`,
          /card of tool 'greet': .*no such file.*none\.html/,
        ],
        [
          'that is a folder',
          `{ file: new URL('.', import.meta.url) }`,
          /card of tool 'greet': .* is no file/,
        ],
        [
          "that is not the plugin's",
          `{ file: new URL('file:///etc/hostname') }`,
          /hostname is outside of the plugin's folder .*: move it into it/,
        ],
      ] as const
    ).map(([what, ui, message]): [string, string, string | RegExp, number | null] => [
      `a card ${what}`,
      tool(`ui: ${ui},`),
      message,
      null,
    ]),
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
    if (typeof message === 'string') expect(problem?.message).toContain(message);
    else expect(problem?.message).toMatch(message);
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

  it('finds nothing wrong with a card that has all it needs', async () => {
    const whole = `<img src="data:image/png;base64,aaaa"><svg><use href="#a"/></svg>
      <script>document.title = '<script src="https://a.example/x.js">'; // from elsewhere</script>
      <!-- <script src="https://a.example/y.js"></script> --><a href="https://a.example/">more</a>`;
    expect(await findings(card(whole))).toEqual([]);
  });

  it('finds nothing wrong with a card that says what else it loads', async () => {
    const named =
      '<img src="https://tiles.example.com:8443/1.png"><iframe src="https://a.example/x">';
    expect(await findings(card(named, CSP))).toEqual([]);
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
      'a card with a script from elsewhere',
      card('<script src="https://cdn.example.com/chart.js"></script>'),
      'error',
      'card: <script src="https://cdn.example.com/chart.js"> is from elsewhere, and hosts stop it: put it into the document, or name https://cdn.example.com in ui.csp.resourceDomains',
    ],
    [
      'a card whose own script imports one',
      card('<script type="module">import x from "//cdn.example.com/x.js"</script>'),
      'error',
      'is from elsewhere',
    ],
    [
      'a card with a style sheet that has a font from elsewhere',
      card('<style>@font-face { src: url(https://cdn.example.com/a.woff2) }</style>'),
      'error',
      'url(https://cdn.example.com/a.woff2 is from elsewhere',
    ],
    [
      'a card that frames what only images may come from',
      card(
        '<iframe src="https://cdn.example.com/a">',
        `{ resourceDomains: ['https://cdn.example.com'] }`,
      ),
      'error',
      'in ui.csp.frameDomains',
    ],
    [
      'a card with an image of a host whose name ends like one it may use',
      card('<img src="https://evilexample.com:8443/">', CSP),
      'error',
      'is from elsewhere',
    ],
    [
      'a card of several files',
      card('<link rel="stylesheet" href="./card.css">'),
      'error',
      'card: <link href="./card.css"> loads nothing, a card is a single document: put it in there',
    ],
    [
      'a card that lets another site run scripts',
      card(
        '<script src="https://a.cdn.example.com/chart.js">',
        `{ resourceDomains: ['https://*.example.com'] }`,
      ),
      'warning',
      'lets https://a.cdn.example.com do whatever the card may',
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
