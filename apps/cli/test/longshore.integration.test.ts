import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  createTestDatabase,
  freePort,
  type SpawnedProcess,
  spawnApp,
  spawnProcess,
  waitFor,
} from '@longshore/testing';

const READY = /^longshore ready at (http:\S+)$/;

describe('longshore', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-cli-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });

  const environment = (over: Readonly<Record<string, string | undefined>> = {}) => ({
    DATABASE_URL: undefined,
    REDIS_URL: undefined,
    DATA_DIR: dir,
    PORT: '0',
    // No tools but those of the plugin.
    BATCH_TOOL: 'false',
    JOB_TOOLS: 'never',
    SCHEDULE_TOOLS: 'false',
    PLUGINS: path.join(import.meta.dirname, 'fixtures', 'plugin.js'),
    ...over,
  });
  const run = (
    args: readonly string[],
    over: Readonly<Record<string, string | undefined>> = {},
  ): Promise<SpawnedProcess> => spawnApp('cli', args, { env: environment(over) });
  const start = (over: Readonly<Record<string, string | undefined>> = {}) =>
    spawnApp('cli', ['start'], {
      env: environment(over),
      ready: (line) => READY.test(line),
      readyTimeoutMs: 60_000,
    });
  const urlOf = (app: SpawnedProcess): string => {
    const urls = app.lines.flatMap((line) => READY.exec(line)?.[1] ?? []);
    expect(urls).toHaveLength(1);
    return urls[0] ?? '';
  };

  /** Everything that was started for this test's DATA_DIR and still runs. */
  const leftovers = (): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
          if (/^State:\s+[ZX]/m.test(read('status'))) return [];
          const command = read('cmdline').replaceAll('\0', ' ');
          return command.includes(dir) || read('environ').includes(dir) ? [command] : [];
        } catch {
          return []; // It ended while we looked.
        }
      });

  async function listTools(url: string): Promise<string[]> {
    const post = async (body: object, session?: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
        signal: AbortSignal.timeout(10_000),
      });
    const opened = await post({
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    });
    const session = opened.headers.get('mcp-session-id') ?? '';
    const answer = await post({ id: 2, method: 'tools/list' }, session);
    const names = [...(await answer.text()).matchAll(/"name":"(\w+)"/g)];
    return names.map(([, name]) => name ?? '');
  }

  it('starts everything, serves, and stops everything within the promised time', async () => {
    const app = await start({ WORKERS: '2' });
    const url = urlOf(app);
    expect(await listTools(url)).toEqual(['echo']);
    expect(leftovers().length).toBeGreaterThanOrEqual(5);
    const exit = await Promise.race([
      app.kill('SIGTERM'),
      new Promise((resolve) => setTimeout(resolve, 10_000, 'still there after 10 s').unref()),
    ]);
    expect(exit).toEqual({ code: 0, signal: null });
    expect(leftovers()).toEqual([]);
    await expect(fetch(url)).rejects.toThrow();
  }, 120_000);

  it('leaves nothing behind when it is killed, and starts again at once', async () => {
    const app = await start();
    await app.kill('SIGKILL');
    const again = await start();
    expect(await listTools(urlOf(again))).toEqual(['echo']);
    await again.kill('SIGKILL');
    await waitFor(() => leftovers().length === 0, {
      what: 'API, worker and PostgreSQL have ended by themselves',
      timeoutMs: 30_000,
    });
    expect(existsSync(path.join(dir, 'postgres/pg/postmaster.pid'))).toBe(false);
  }, 120_000);

  it('stops when npm is gone, whose shell does not pass signals on', async () => {
    const main = path.join(import.meta.dirname, '..', 'dist', 'main.js');
    const shell = await spawnProcess('sh', ['-c', `"${process.execPath}" "${main}" start; true`], {
      env: environment({ npm_lifecycle_event: 'start' }),
      ready: (line) => READY.test(line),
      readyTimeoutMs: 60_000,
    });
    await shell.kill('SIGKILL');
    await waitFor(() => leftovers().length === 0, {
      what: 'everything has ended by itself',
      timeoutMs: 30_000,
    });
    expect(existsSync(path.join(dir, 'postgres/pg/postmaster.pid'))).toBe(false);
  }, 120_000);

  it('refuses a second start or migrate on the same data, and leaves the first alone', async () => {
    const app = await start();
    for (const command of ['start', 'migrate']) {
      const second = await run([command]);
      expect(await second.exited).toMatchObject({ code: 1 });
      expect(second.logs()).toContain(`DATA_DIR ${dir} is in use by process ${app.pid}`);
    }
    expect(await listTools(urlOf(app))).toEqual(['echo']);
    expect(await app.kill('SIGINT')).toEqual({ code: 0, signal: null });
  }, 120_000);

  it('gives up with the reason when the port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const app = await run(['start'], { PORT: String(port) });
    expect(await app.exited).toMatchObject({ code: 1 });
    expect(app.logs()).toBe(
      `longshore: HOST=127.0.0.1 PORT=${port} is taken: another program listens there. Stop it, or set PORT to another one (0 picks a free one).`,
    );
    expect(leftovers()).toEqual([]);
    server.close();
  }, 120_000);

  it('says that its folder was deleted under it, and what that means, and ends', async () => {
    const app = await start();
    rmSync(dir, { recursive: true });
    expect(await app.exited).toMatchObject({ code: 1 });
    expect(app.lines.at(-1)).toBe(
      `longshore: giving up: ${dir} was deleted while it was in use, and what was in it is lost. Start again for an empty one.`,
    );
    const said = app.lines.slice(app.lines.findIndex((line) => READY.test(line)) + 1);
    expect(said.filter((line) => line.includes('stack'))).toEqual([]);
    await waitFor(() => leftovers().length === 0, { what: 'everything has ended' });
    mkdirSync(dir);
  }, 120_000);

  it('uses the database of DATABASE_URL when there is one', async () => {
    const database = await createTestDatabase({ empty: true });
    const app = await start({ DATABASE_URL: database.url });
    expect(await listTools(urlOf(app))).toEqual(['echo']);
    expect(existsSync(path.join(dir, 'postgres'))).toBe(false);
    expect(await app.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    await database.drop();
  }, 120_000);

  it('migrates the embedded database and says what it did', async () => {
    const first = await run(['migrate']);
    expect(await first.exited).toMatchObject({ code: 0 });
    expect(first.logs()).toMatch(/^applied \d{14}_create_task_tables$/m);
    const second = await run(['migrate']);
    expect(await second.exited).toMatchObject({ code: 0 });
    expect(second.logs()).toMatch(/^nothing to apply: the database is up to date$/m);
    expect(leftovers()).toEqual([]);
  }, 120_000);

  it.each(['start', 'migrate'])(
    'says that the database does not answer (%s)',
    async (command) => {
      const port = await freePort();
      const app = await run([command], {
        DATABASE_URL: `postgresql://me:geheim@127.0.0.1:${port}/x`,
      });
      expect(await app.exited).toMatchObject({ code: 1 });
      expect(app.logs()).toMatch(/^longshore: the database .* Check DATABASE_URL/m);
      expect(app.logs()).not.toMatch(/geheim|^\s+at /m);
    },
    60_000,
  );

  it('lists everything that is wrong with the environment', async () => {
    const app = await run(['start'], { PORT: 'http', WORKERS: '-1' });
    expect(await app.exited).toMatchObject({ code: 1 });
    expect(app.logs()).toMatch(/PORT: /);
    expect(app.logs()).toMatch(/WORKERS: /);
  }, 60_000);

  it.each([
    [['fly'], 2, /^longshore: unknown command 'fly'$/],
    [['start', '--port=1'], 2, /^longshore: there is no option --port: .* PORT=1 longshore start$/],
    [[], 2, /^Usage: longshore .*\nlongshore: no command given/s],
    [['--help'], 0, /^Usage: longshore /],
  ])(
    'reads %j',
    async (args, code, said) => {
      const app = await run(args);
      expect(await app.exited).toMatchObject({ code });
      expect(app.logs()).toMatch(said);
    },
    60_000,
  );
});
