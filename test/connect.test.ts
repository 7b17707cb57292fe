import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { createProgram, type Handlers, runProgram } from '@longshore/cli';
import { loadConfig, VARIABLES } from '@longshore/config';
import * as z from 'zod';

const ROOT = path.join(import.meta.dirname, '..');
const CHECKOUT = '/path/to/longshore/';
const page = readFileSync(path.join(ROOT, 'docs/connect.md'), 'utf8');
const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');

interface Block {
  readonly file: string;
  readonly text: string;
}

/** Blocks of JSON with the name of the file they are for. */
const blocks: Block[] = [...page.matchAll(/^```json (\S+)\n([\s\S]*?)^```$/gm)].map(
  ([, file = '', text = '']) => ({ file, text }),
);
const commands = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, text = '']) =>
  text.trimEnd().split('\n'),
);

/*
 * The formats, as strict as the hosts' documentation is: a member that a host does not know is dropped
 * without a word, and nothing connects. Each page is cited in docs/connect.md.
 */
const texts = z.record(z.string(), z.string());
const http = { url: z.url(), headers: texts.optional() };
const stdio = { command: z.string(), args: z.array(z.string()), env: texts.optional() };
const named = <Server extends z.ZodType>(server: Server) => z.record(z.string(), server);

const typed = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('http'), ...http }),
  z.strictObject({ type: z.literal('stdio'), ...stdio }),
]);
const untyped = z.union([z.strictObject(http), z.strictObject(stdio)]);
const Input = z.strictObject({
  type: z.literal('promptString'),
  id: z.string(),
  description: z.string(),
  password: z.boolean(),
});

const FORMATS: Readonly<Record<string, z.ZodType>> = {
  '.mcp.json': z.strictObject({ mcpServers: named(typed) }),
  'claude_desktop_config.json': z.strictObject({ mcpServers: named(z.strictObject(stdio)) }),
  '.vscode/mcp.json': z.strictObject({ inputs: z.array(Input).optional(), servers: named(typed) }),
  '.cursor/mcp.json': z.strictObject({ mcpServers: named(untyped) }),
};

/** How each host writes a value that it fills in. */
const REFERENCES: Readonly<Record<string, RegExp>> = {
  '.mcp.json': /^\$\{[A-Z_]+\}$/,
  '.vscode/mcp.json': /^\$\{(input:[a-z-]+|workspaceFolder)\}$/,
  '.cursor/mcp.json': /^\$\{(env:[A-Z_]+|workspaceFolder)\}$/,
};

/** Only what a host may say of a server, whatever its format. */
const AnyServer = z.looseObject({
  url: z.string().optional(),
  command: z.string().optional(),
  args: z.array(z.string()).default([]),
  env: texts.default({}),
});

function serverOf({ text }: Block): z.output<typeof AnyServer> {
  const { mcpServers, servers } = z
    .looseObject({ mcpServers: named(AnyServer).optional(), servers: named(AnyServer).optional() })
    .parse(JSON.parse(text));
  const [server, ...more] = Object.values(mcpServers ?? servers ?? {});
  if (server === undefined || more.length > 0) throw new Error(`not one server: ${text}`);
  return server;
}

/** What our own program takes the command for; the page shows where it lies in a copy of this repository. */
async function checkCommand([command, file = '', ...args]: readonly (
  | string
  | undefined
)[]): Promise<void> {
  expect(command).toBe('node');
  expect(file.startsWith(CHECKOUT)).toBe(true);
  const source = file.slice(CHECKOUT.length).replace('/dist/', '/src/').replace(/\.js$/, '.ts');
  expect(existsSync(path.join(ROOT, source))).toBe(true);
  const rest = args.filter((arg) => arg !== undefined);
  const ran: unknown[] = [];
  const note = async (what: unknown): Promise<void> => void ran.push(what);
  const handlers: Handlers = {
    serve: note,
    ask: note,
    author: note,
    keys: note,
    doctor: note,
    print: () => {},
    printError: () => {},
  };
  await runProgram(createProgram('', handlers), rest);
  expect(ran).toEqual(['stdio']);
}

function checkEnvironment(env: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(env)) expect(Object.keys(VARIABLES)).toContain(name);
  expect(() => loadConfig(env)).not.toThrow();
}

const { HOST, PORT } = loadConfig({});
const URL_OF_START = `http://${HOST}:${PORT}/mcp`;

describe.each(blocks.map((block, index) => [`${block.file} (${index + 1})`, block] as const))(
  'the block for %s',
  (_name, block) => {
    it('is in the format of its host', () => {
      expect(Object.keys(FORMATS)).toContain(block.file);
      expect(FORMATS[block.file]?.safeParse(JSON.parse(block.text)).error).toBeUndefined();
      for (const [reference] of block.text.matchAll(/\$\{[^}]*\}/g)) {
        expect(reference).toMatch(REFERENCES[block.file] ?? /^nothing$/);
      }
      for (const [, id] of block.text.matchAll(/\$\{input:([^}]*)\}/g)) {
        expect(JSON.parse(block.text).inputs).toContainEqual(expect.objectContaining({ id }));
      }
    });

    it('names what we have', async () => {
      const { url, command, args, env } = serverOf(block);
      if (url === undefined) await checkCommand([command, ...args]);
      else expect(url).toBe(URL_OF_START);
      checkEnvironment(env);
    });
  },
);

/** Splits a line as a shell would: the page uses no more of it than double quotes. */
const words = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '');

describe.each(commands.map((line) => [line]))('%s', (line) => {
  const [program, ...args] = words(line);

  it('is a command of its host, and names what we have', async () => {
    if (program === 'claude') await checkClaude(args);
    else if (program === 'npx') await checkInspector(args);
    else throw new Error(`whose command is ${program}?`);
  });
});

/** `claude mcp add [options] <name> <url>`, or `... <name> -- <command> [args...]`. */
async function checkClaude([mcp, add, ...args]: readonly string[]): Promise<void> {
  expect([mcp, add]).toEqual(['mcp', 'add']);
  const end = args.indexOf('--');
  const { values, positionals } = parseArgs({
    args: end === -1 ? args : args.slice(0, end),
    allowPositionals: true,
    options: {
      transport: { type: 'string' },
      header: { type: 'string', multiple: true },
      env: { type: 'string', multiple: true },
      scope: { type: 'string' },
    },
  });
  const env = (values.env ?? []).map((pair) => pair.split('=', 2));
  checkEnvironment(Object.fromEntries(env));
  for (const header of values.header ?? []) expect(header).toMatch(/^Authorization: Bearer \S+$/);
  // These take as many values as follow, and would take the name, too.
  const greedy = args.findIndex((arg) => arg === '--env' || arg === '--header');
  if (greedy !== -1 && greedy + 2 < args.length) expect(args[greedy + 2]).toMatch(/^--/);
  if (end === -1) {
    expect([values.transport, ...positionals]).toEqual(['http', 'longshore', URL_OF_START]);
  } else {
    expect([values.transport, ...positionals]).toEqual(['stdio', 'longshore']);
    await checkCommand(args.slice(end + 1));
  }
}

/** Version 2: a server from a file, at a URL, or by a command; with `--cli` a method to call. */
async function checkInspector([name, ...args]: readonly string[]): Promise<void> {
  expect(name).toBe('@modelcontextprotocol/inspector');
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      cli: { type: 'boolean' },
      config: { type: 'string' },
      server: { type: 'string' },
      transport: { type: 'string' },
      'server-url': { type: 'string' },
      'connect-timeout': { type: 'string' },
      method: { type: 'string' },
      'tool-name': { type: 'string' },
      'tool-arg': { type: 'string', multiple: true },
    },
  });
  expect(values.method !== undefined).toBe(values.cli === true);
  expect(values['tool-name'] !== undefined).toBe(values.method === 'tools/call');
  const sources = [values.config, values['server-url'], positionals[0]];
  expect(sources.filter((source) => source !== undefined)).toHaveLength(1);
  if (values.config !== undefined) {
    const named = blocks.filter(({ file }) => file === values.config);
    expect(named.map(({ text }) => Object.keys(JSON.parse(text).mcpServers))).toContainEqual([
      values.server,
    ]);
  } else if (values['server-url'] !== undefined) {
    expect([values.transport, values['server-url']]).toEqual(['http', URL_OF_START]);
  } else {
    await checkCommand(positionals);
  }
}

it('there is a way over HTTP and one over stdio for every host that has both', () => {
  const ways = blocks.map((block) => [
    block.file,
    serverOf(block).url === undefined ? 'stdio' : 'http',
  ]);
  expect(ways).toEqual([
    ['.mcp.json', 'http'],
    ['.mcp.json', 'stdio'],
    ['claude_desktop_config.json', 'stdio'],
    ['.vscode/mcp.json', 'http'],
    ['.vscode/mcp.json', 'stdio'],
    ['.cursor/mcp.json', 'http'],
    ['.cursor/mcp.json', 'stdio'],
  ]);
  expect(commands).toHaveLength(8);
});

it('README says the same', () => {
  expect(readme).toContain(commands[0] ?? 'no command');
  const [block] = [...readme.matchAll(/^```json\n([\s\S]*?)^```$/gm)].filter(([, text]) =>
    text?.includes('mcpServers'),
  );
  const desktop = blocks.find(({ file }) => file === 'claude_desktop_config.json');
  expect(JSON.parse(block?.[1] ?? '')).toEqual(JSON.parse(desktop?.text ?? ''));
});
