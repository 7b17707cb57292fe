import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '@longshore/embedded';
import { waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnApp, spawnProcess } from '@longshore/testing/processes';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';

const READY = /longshore ready at (http:\S+)$/;
const MAIN = path.join(import.meta.dirname, '..', 'dist', 'main.js');

describe('longshore', () => {
  let dir: string;
  beforeAll(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-cli-'));
  });
  afterAll(() => {
    rmSync(dir, { recursive: true, force: true });
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
    BUNDLED_PLUGINS: 'false',
    ...over,
  });
  const run = (
    args: readonly string[],
    over: Readonly<Record<string, string | undefined>> = {},
  ): Promise<SpawnedProcess> => spawnApp('cli', args, { env: environment(over) });
  /** @returns the exit code, and what was said */
  const outcome = async (
    args: readonly string[],
    over: Readonly<Record<string, string | undefined>> = {},
  ) => {
    const app = await run(args, over);
    const { code } = await app.exited;
    return { code, said: app.logs() };
  };
  /** @param command what starts it, where that is not Node itself */
  const start = (
    over: Readonly<Record<string, string | undefined>> = {},
    [command, ...args]: readonly [string, ...string[]] = [process.execPath, MAIN, 'start'],
  ) =>
    spawnProcess(command, args, {
      env: environment(over),
      ready: (line) => READY.test(line),
      readyTimeoutMs: 60_000,
    });
  const urlOf = (app: SpawnedProcess): string => {
    const urls = app.lines.flatMap((line) => READY.exec(line)?.[1] ?? []);
    expect(urls).toHaveLength(1);
    return urls[0] ?? '';
  };
  /** Everything that was started for DATA_DIR and still runs. */
  const leftovers = (): string[] =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const read = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8');
          if (/^State:\s+[ZX]/m.test(read('status'))) return [];
          const command = read('cmdline').replaceAll('\0', ' ');
          return command.includes(dir) || read('environ').includes(dir)
            ? [`${pid} ${command}`]
            : [];
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

  it('gives up with the reason when the port is taken', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    expect(await outcome(['start'], { PORT: String(port) })).toEqual({
      code: 1,
      said: `longshore: HOST=127.0.0.1 PORT=${port} is taken: another program listens there. Stop it, or set PORT to another one (0 picks a free one).`,
    });
    expect(leftovers()).toEqual([]);
    server.close();
  }, 60_000);

  it('says that the database does not answer', async () => {
    const DATABASE_URL = `postgresql://me:geheim@127.0.0.1:${await freePort()}/x`;
    const commands = [['start'], ['migrate']];
    for (const { code, said } of await Promise.all(
      commands.map((args) => outcome(args, { DATABASE_URL })),
    )) {
      expect([code, said]).toEqual([
        1,
        expect.stringMatching(/^longshore: the database .* Check DATABASE_URL/m),
      ]);
      expect(said).not.toMatch(/geheim|^\s+at /m);
    }
  }, 60_000);

  it('reads what it is told, by arguments and by the environment', async () => {
    const cases: [string[], Record<string, string>, number, RegExp][] = [
      [['fly'], {}, 2, /^longshore: unknown command 'fly'$/],
      [['start', '--port=1'], {}, 2, /^longshore: .* no option --port: .* PORT=1 longshore start$/],
      [[], {}, 2, /^Usage: longshore .*\nlongshore: no command given/s],
      [['--help'], {}, 0, /^Usage: longshore /],
      [['start'], { PORT: 'http', WORKERS: '-1' }, 1, /PORT: .*WORKERS: /s],
    ];
    const outcomes = await Promise.all(cases.map(([args, over]) => outcome(args, over)));
    expect(outcomes).toEqual(
      cases.map(([, , code, said]) => ({ code, said: expect.stringMatching(said) })),
    );
  }, 60_000);

  describe('on a terminal, with the database of DATABASE_URL', () => {
    let database: TestDatabase;
    let terminal: SpawnedProcess;
    beforeAll(async () => {
      database = await createTestDatabase({ empty: true });
      const command = `exec "${process.execPath}" "${MAIN}" start`;
      terminal = await start({ DATABASE_URL: database.url, BATCH_TOOL: 'true' }, [
        ...(['script', '-qefc', command, '/dev/null'] as const),
      ]);
    }, 120_000);
    afterAll(() => database.drop());

    /** What is still there to be read: not what was written over. */
    const shown = (): string[] =>
      terminal.lines
        .map((line) => line.replace('\u001B[2K', ''))
        .filter((line) => line !== '' && !line.endsWith(' ...'));

    it('starts everything but a database of its own, and serves', async () => {
      expect(await listTools(urlOf(terminal))).toEqual(['batch', 'echo', 'retry_failed']);
      expect(existsSync(path.join(dir, 'postgres'))).toBe(false);
    }, 60_000);

    it('shows a line when it is ready, for a host, and for a batch however many chunks that has', async () => {
      const items = path.join(dir, 'items.csv');
      writeFileSync(items, `text\n${'some\n'.repeat(300)}`);
      const LONGSHORE_URL = urlOf(terminal);
      const args = ['batch', 'echo', '--items', items, '--results', 'summary'];
      expect(await outcome(args, { LONGSHORE_URL })).toMatchObject({ code: 0 });
      await terminal.waitForLine(/task finished/);
      expect(shown()).toEqual([
        expect.stringMatching(/^longshore ready at /),
        expect.stringMatching(/INFO.*api: session opened.*"client"/),
        expect.stringMatching(/INFO.*worker: task finished.*"tool":"batch"/),
      ]);
    }, 60_000);

    it('ends in good order, and says no more', async () => {
      const { pid } = terminal;
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      process.kill(Number(children.trim()), 'SIGINT');
      expect(await terminal.exited).toEqual({ code: 0, signal: null });
      expect(shown()).toHaveLength(3);
      expect(leftovers()).toEqual([]);
      await expect(fetch(urlOf(terminal))).rejects.toThrow();
    }, 60_000);
  });

  /** One after the other on the same data, from its making to its end. */
  describe('in one folder', () => {
    it('migrates the embedded database and says what it did', async () => {
      expect(await outcome(['migrate'])).toEqual({
        code: 0,
        said: expect.stringMatching(/^applied \d{14}_create_task_tables$/m),
      });
      expect(await outcome(['migrate'])).toEqual({
        code: 0,
        said: 'nothing to apply: the database is up to date',
      });
      expect(leftovers()).toEqual([]);
    }, 120_000);

    describe('under npm, whose shell does not pass signals on', () => {
      let shell: SpawnedProcess;
      beforeAll(async () => {
        const command = `"${process.execPath}" "${MAIN}" start; true`;
        shell = await start({ npm_lifecycle_event: 'start' }, ['sh', '-c', command]);
      }, 120_000);

      it('starts everything, and serves', async () => {
        expect(await listTools(urlOf(shell))).toEqual(['echo']);
        expect(leftovers().length).toBeGreaterThanOrEqual(5);
      }, 60_000);

      it('refuses a second start or migrate, and leaves the first alone', async () => {
        const { pid } = JSON.parse(readFileSync(path.join(dir, 'engine.json'), 'utf8'));
        const second = [outcome(['start']), outcome(['migrate'])];
        for (const { code, said } of await Promise.all(second)) {
          expect(code).toBe(1);
          expect(said).toContain(`DATA_DIR ${dir} is in use by process ${pid}`);
        }
        expect(await listTools(urlOf(shell))).toEqual(['echo']);
      }, 60_000);

      it('stops everything when npm is gone, within the promised time', async () => {
        await shell.kill('SIGKILL');
        await waitFor(() => leftovers().length === 0, {
          what: 'everything has ended by itself',
          timeoutMs: 10_000,
        });
        expect(existsSync(path.join(dir, 'postgres/pg/postmaster.pid'))).toBe(false);
        await expect(fetch(urlOf(shell))).rejects.toThrow();
      }, 60_000);
    });

    describe('after it was killed', () => {
      let again: SpawnedProcess;

      it('starts again at once, and nothing of the time before is left', async () => {
        const killed = await start();
        const before = leftovers();
        expect(before.length).toBeGreaterThanOrEqual(5);
        await killed.kill('SIGKILL');
        again = await start();
        expect(await listTools(urlOf(again))).toEqual(['echo']);
        await waitFor(() => !leftovers().some((one) => before.includes(one)), {
          what: 'API, worker and PostgreSQL of the first have ended by themselves',
          timeoutMs: 30_000,
        });
      }, 120_000);

      it('says that its folder was deleted under it, and what that means, and ends', async () => {
        rmSync(dir, { recursive: true });
        expect(await again.exited).toMatchObject({ code: 1 });
        expect(again.lines.at(-1)).toBe(
          `longshore: giving up: ${dir} was deleted while it was in use, and what was in it is lost. Start again for an empty one.`,
        );
        const ready = again.lines.findIndex((line) => READY.test(line));
        // Whoever asks Postgres before the end is there is told that it does not answer, and says so.
        const broken = again.lines
          .slice(ready + 1)
          .filter((line) => line.includes('stack') && !line.includes('DATABASE_UNAVAILABLE'));
        expect(broken).toEqual([]);
        await waitFor(() => leftovers().length === 0, { what: 'everything has ended' });
      }, 60_000);
    });
  });
});
