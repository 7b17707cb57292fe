import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import { startTask } from './support/legacy-stack.ts';
import { CLI } from './support/stdio-host.ts';

const READY = /^longshore ready at (http:\S+)$/;

/** A tool that says its version, once a file is there. */
const code = (version: string, description = `Tells that it is version ${version}.`) => `
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineTool, z } from '@longshore/plugin';
const version: string = '${version}';
export const tell = defineTool({
  name: 'my_tell',
  description: '${description}',
  input: z.object({ until: z.string().optional().describe('A file to wait for.') }),
  output: z.object({ version: z.string(), attempt: z.int() }),
  task: { attempts: 3 },
  async run({ until }, ctx) {
    if (until !== undefined) writeFileSync(until + '.begun', String(ctx.attempt));
    while (until !== undefined && !existsSync(until)) await sleep(20, undefined, { signal: ctx.signal });
    return { version, attempt: ctx.attempt };
  },
});
`;

/** The way of an author, with real processes and nothing installed: what README says under "Write a tool". */
describe('plugin dev beside a running start', () => {
  let dir: string;
  let plugin: string;
  let server: SpawnedProcess;
  let dev: SpawnedProcess;
  let url: string;
  let client: WireClient;
  // A lease and a grace that end long before the call which a reload must not disturb.
  const env = {
    ...{ DATABASE_URL: undefined, REDIS_URL: undefined, DATA_DIR: undefined, LOG_LEVEL: 'warn' },
    ...{ PORT: '0', LEASE_MS: '2000', SHUTDOWN_GRACE_MS: '200' },
  };
  const longshore = (args: readonly string[], cwd: string, over = {}) =>
    spawnProcess(process.execPath, [CLI, ...args], { cwd, env: { ...env, ...over } });

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-dev-'));
    plugin = path.join(dir, 'my-tools');
    server = await spawnProcess(process.execPath, [CLI, 'start'], {
      cwd: dir,
      env,
      ready: READY,
      readyTimeoutMs: 60_000,
    });
    url = server.lines.flatMap((line) => READY.exec(line)?.[1] ?? [])[0] ?? '';
    client = new WireClient(url);
    await client.initialize('2025-11-25', {});
    const made = await longshore(['plugin', 'new', 'my-tools'], dir);
    expect(await made.exited).toMatchObject({ code: 0 });
    save(code('1'));
    // In the folder of the plugin: the server is found in the one above.
    dev = await longshore(['plugin', 'dev', '.'], plugin);
    await dev.waitForLine(/is offered at http.*my_tell/);
  }, 90_000);
  afterAll(async () => {
    await dev?.kill('SIGKILL');
    await server?.kill('SIGTERM');
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  const save = (text: string) => writeFileSync(path.join(plugin, 'src', 'index.ts'), text);
  const described = async (): Promise<string | null> => {
    const { tools } = (await client.result('tools/list')) as {
      tools: { name: string; description: string }[];
    };
    return tools.find(({ name }) => name === 'my_tell')?.description ?? null;
  };
  const listed = (description: string | null) =>
    waitFor(async () => (await described()) === description, {
      what: `the tool is listed as ${description}`,
    });
  const call = async () =>
    (await client.result('tools/call', { name: 'my_tell', arguments: {} }))['structuredContent'];

  it('offers the tool to the API that runs already, and a batch runs it', async () => {
    await listed('Tells that it is version 1.');
    expect(await call()).toMatchObject({ version: '1' });
    const items = path.join(dir, 'items.jsonl');
    writeFileSync(items, '{}\n{}\n{}\n');
    const batch = await longshore(['batch', 'my_tell', '--items', items], dir);
    expect([await batch.exited, batch.logs()]).toEqual([
      { code: 0, signal: null },
      expect.stringMatching(/"done": ?3/),
    ]);
  }, 60_000);

  it('has a save take over new calls while the one that runs ends in the version it began in', async () => {
    const gate = path.join(dir, 'gate');
    const held = await startTask(client, 'my_tell', { until: gate });
    const begun = await waitFor(
      () => (existsSync(`${gate}.begun`) && readFileSync(`${gate}.begun`, 'utf8')) || null,
      { what: 'the call runs' },
    );
    // Workers without the tool may have passed the call on before, which counts.
    const attempt = Number(begun);
    save(code('2'));
    await dev.waitForLine(/src\/index\.ts saved: reloaded in .* changed tool my_tell/);
    await dev.waitForLine(/the version before takes no more tasks and ends those it runs/);
    await listed('Tells that it is version 2.');
    expect(await call()).toMatchObject({ version: '2' });

    save(code('3', ''));
    await dev.waitForLine(/saved: not loaded, the version before goes on/);
    // Of the text as it was written, whatever became of its types.
    const column = 'export const tell = '.length + 1;
    await dev.waitForLine(new RegExp(`ERROR {3}src/index\\.ts:6:${column}$`));
    await dev.waitForLine(/description is empty: say what the tool does/);
    expect(await described()).toBe('Tells that it is version 2.');
    expect(await call()).toMatchObject({ version: '2' });

    writeFileSync(gate, '');
    const { structuredContent } = await client.result('tasks/result', { taskId: held });
    expect(structuredContent).toEqual({ version: '1', attempt });
    await dev.waitForLine(/the version before has ended its tasks/);
  }, 60_000);

  it('loads what was mended, and takes the tool away when it ends', async () => {
    save(code('4'));
    await listed('Tells that it is version 4.');
    expect(await dev.kill('SIGINT')).toEqual({ code: 0, signal: null });
    await listed(null);
    expect(dev.logs()).not.toMatch(/^\s+at /m);
  }, 60_000);

  it.each([
    [
      'another lease',
      { LEASE_MS: '3000' },
      2,
      /started with other values of LEASE_MS: set the same/,
    ],
    ['nothing that runs', { DATA_DIR: 'elsewhere', HOME: '/nonexistent' }, 3, /start it first/],
  ])(
    'says what to do about %s',
    async (_what, over, code, message) => {
      const failed = await longshore(['plugin', 'dev', plugin], dir, over);
      expect([await failed.exited, failed.logs()]).toEqual([
        { code, signal: null },
        expect.stringMatching(message),
      ]);
    },
    30_000,
  );
});
