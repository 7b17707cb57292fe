import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawnApp, spawnProcess } from '@longshore/testing/processes';

const ROOT = path.join(import.meta.dirname, '..', '..', '..', '..');
const run = promisify(execFile);

let dir: string;

beforeAll(() => {
  // Outside the repository, where nothing is found by accident.
  dir = mkdtempSync(path.join(tmpdir(), 'longshore-plugin-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

async function plugin(...args: string[]) {
  const app = await spawnApp('cli', ['plugin', ...args], { cwd: dir, env: { SERVER_SECRET: 'x' } });
  const { code } = await app.exited;
  return { code, said: app.logs() };
}

describe('plugin new', () => {
  let made: string;

  beforeAll(async () => {
    made = path.join(dir, 'my-tools');
    expect(await plugin('new', 'my-tools')).toMatchObject({ code: 0 });
  });

  it('makes a plugin whose own test passes by its own command, without anything installed', async () => {
    const { scripts } = JSON.parse(readFileSync(path.join(made, 'package.json'), 'utf8'));
    const app = await spawnProcess('sh', ['-c', scripts.test], { cwd: made });
    expect([await app.exited, app.logs()]).toEqual([
      { code: 0, signal: null },
      expect.stringMatching(/pass 3[\s\S]*fail 0/),
    ]);
  });

  it('makes one whose types are right, and are checked', async () => {
    const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    const types = path.join(ROOT, 'node_modules/@types');
    const compile = () =>
      run(process.execPath, [tsc, '-p', made, '--typeRoots', types, '--pretty', 'false']).then(
        ({ stdout }) => stdout,
        (error: { stdout: string }) => error.stdout,
      );
    expect(await compile()).toBe('');
    const file = path.join(made, 'src/index.ts');
    const code = readFileSync(file, 'utf8');
    writeFileSync(file, code.replace('counted: from', 'counted: String(from)'));
    expect(await compile()).toMatch(/src\/index\.ts\(\d+,\d+\): error TS\d+/);
    writeFileSync(file, code);
  });

  it('makes one that the check and its own command for it find nothing wrong with', async () => {
    const { code, said } = await plugin('check', 'my-tools', '--strict');
    expect([code, said]).toEqual([
      0,
      'my-tools 0.1.0 (my-tools/src/index.ts)\nok      tool my_tools_countdown\nno errors, no warnings',
    ]);
    const { scripts } = JSON.parse(readFileSync(path.join(made, 'package.json'), 'utf8'));
    const app = await spawnProcess('sh', ['-c', scripts.check], { cwd: made });
    expect(await app.exited).toEqual({ code: 0, signal: null });
  });

  it.each([
    ['a name that is none', 'My Tools', /'My Tools' can not be the name .* such as my-tools/],
    ['a folder with something in it', 'my-tools', /my-tools is there already: name another folder/],
  ])('refuses %s', async (_what, name, message) => {
    const before = readFileSync(path.join(made, 'src/index.ts'), 'utf8');
    const { code, said } = await plugin('new', name);
    expect([code, said]).toEqual([2, expect.stringMatching(message)]);
    expect(said).not.toMatch(/^\s+at /m);
    expect(readFileSync(path.join(made, 'src/index.ts'), 'utf8')).toBe(before);
    expect(existsSync(path.join(dir, 'My Tools'))).toBe(false);
  });
});

describe('plugin check', () => {
  const broken = (name: string, code: string): string => {
    mkdirSync(path.join(dir, 'broken'), { recursive: true });
    writeFileSync(path.join(dir, 'broken', name), code);
    return path.join('broken', name);
  };

  it.each(['text', 'data', 'images', 'web'])('finds nothing wrong with plugin-%s', async (name) => {
    const { code, said } = await plugin('check', `@longshore/plugin-${name}`, '--strict');
    expect([code, said]).toEqual([0, expect.stringMatching(/no errors, no warnings$/)]);
  });

  it('finds nothing wrong with a file in an empty folder: it needs no npm install', async () => {
    const code = `import { defineTool, z } from '@longshore/plugin';
      import { runScript } from '@longshore/plugin/process';
      export const tool = defineTool({
        name: 'outside', description: 'Runs a program of yours and gives back what it says.',
        input: z.object({}), run: (_input, ctx) => runScript(ctx, 'true', []).then(String),
      });`;
    mkdirSync(path.join(dir, 'folder'));
    writeFileSync(path.join(dir, 'folder', 'index.js'), "export * from './tool.mjs';");
    writeFileSync(path.join(dir, 'folder', 'tool.mjs'), code);
    for (const word of [broken('good.ts', code), broken('good.mjs', code), './folder']) {
      expect(await plugin('check', word)).toEqual({
        code: 0,
        said: expect.stringMatching(/no errors/),
      });
    }
  });

  it.each<[string, string, string, RegExp]>([
    [
      'a.mjs',
      'a syntax error',
      'const a = 1;\n\nconst = 2;',
      /ERROR {3}broken\/a\.mjs:3:1\n.*import failed/,
    ],
    [
      'b.ts',
      'one in TypeScript',
      'const a: number = 1;\n\nconst = 2;',
      /ERROR {3}broken\/b\.ts:3:\d+\n/,
    ],
    [
      'c.mjs',
      'the end of the process',
      'process.exit(3);',
      /ended the process .*\(exit code 3\): call process/,
    ],
    [
      'd.mjs',
      'a package that is not there',
      "import '@longshore/plugin/nothing';",
      /import failed: .*nothing/,
    ],
    [
      'e.mjs',
      'a secret of the server that it looks for',
      "if (!process.env.PATH || process.env.SERVER_SECRET) throw new Error('there');\nthrow new Error('none');",
      /import failed: none/,
    ],
  ])('%s: says what is wrong about %s', async (name, _what, code, message) => {
    const { code: exit, said } = await plugin('check', broken(name, code));
    expect([exit, said]).toEqual([1, expect.stringMatching(message)]);
    expect(said).toMatch(/1 error, no warnings$/);
    expect(said).not.toMatch(/^\s+at /m);
  });

  it('tells programs the same, and is not disturbed by what the plugin prints', async () => {
    const file = broken('f.mjs', "console.log('hello');\nthrow new Error('no licence');");
    const main = path.join(ROOT, 'apps/cli/dist/main.js');
    const args = [main, 'plugin', 'check', file, '--json'];
    const { stdout, code } = await run(process.execPath, args, { cwd: dir }).then(
      (ended) => ({ ...ended, code: 0 }),
      (error: { stdout: string; code: number }) => error,
    );
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      errors: 1,
      problem: { message: expect.stringContaining('no licence'), place: { line: 2 } },
    });
    expect(code).toBe(1);
  });

  it('fails for warnings when that is asked for', async () => {
    const file = path.join('my-tools', 'src', 'short.ts');
    const code = readFileSync(path.join(dir, 'my-tools/src/index.ts'), 'utf8');
    writeFileSync(
      path.join(dir, file),
      code.replace(/description: '.*'/, "description: 'Counts.'"),
    );
    expect(await plugin('check', file, '--strict')).toEqual({
      code: 1,
      said: expect.stringMatching(/warning tool .*\n.*'Counts\.' is short/),
    });
  });

  it.each([
    ['a path that is not there', './no-such', 2, /there is no .*no-such: name a folder/],
    ['a package that is not there', 'no-such', 1, /no package of this name/],
  ])('explains %s', async (_what, word, exit, message) => {
    expect(await plugin('check', word)).toEqual({
      code: exit,
      said: expect.stringMatching(message),
    });
  });
});
