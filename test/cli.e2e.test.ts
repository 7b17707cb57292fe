import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing';
import { createKey } from './support/api-keys.ts';
import { type Stack, startStack } from './support/stack.ts';
import { CLI } from './support/stdio-host.ts';

/** The commands that ask a server, as real processes, against one with keys. */
describe('the command line', () => {
  let stack: Stack;
  let dir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-cli-'));
    stack = await startStack({ mode: 'postgres', environment: { AUTH: 'api-key' } });
    const { key } = await createKey(stack);
    env = { LONGSHORE_URL: stack.urls[0] ?? '', LONGSHORE_API_KEY: key, DATA_DIR: dir };
  }, 60_000);
  afterAll(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true });
  });

  const start = (args: readonly string[], over: Record<string, string> = {}) =>
    spawnProcess(process.execPath, [CLI, ...args], { env: { ...env, ...over } });
  const run = async (args: readonly string[], over: Record<string, string> = {}) => {
    const app: SpawnedProcess = await start(args, over);
    const { code } = await app.exited;
    return { code, said: app.logs() };
  };
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };

  it('calls a tool with typed arguments, shows its progress, and prints its result', async () => {
    const { code, said } = await run(
      ['call', 'steps', '--json', file('a.json', '{"steps":1,"stepMs":150}')].concat([
        '--arg',
        'steps=4',
        '--watch',
        '--output',
        'json',
      ]),
    );
    expect(code).toBe(0);
    expect(said).toMatch(/\[#+-+\] \d+% \d\/4 step \d/);
    expect(said).toContain('"attempt": 1');
  }, 60_000);

  it('says with the exit code what became of the call', async () => {
    expect(await run(['call', 'echo', '--arg', 'text=42'])).toMatchObject({ code: 0 });
    expect(await run(['call', 'fail', '--arg', 'message=no paper'])).toEqual({
      code: 1,
      said: 'no paper',
    });
    expect(await run(['call', 'refuse'])).toEqual({ code: 1, said: 'longshore: refused' });
    const unfit = await run(['call', 'steps', '--arg', 'steps=many']);
    expect(unfit).toMatchObject({ code: 1, said: expect.stringContaining('steps') });
  }, 60_000);

  it.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['an unknown tool', ['call', 'stepz'], {}, 2, /no tool 'stepz'\. Did you mean steps\?/],
    ['a wrong pair', ['call', 'echo', '--arg', 'text'], {}, 2, /is no NAME=VALUE/],
    ['a missing file', ['call', 'echo', '--json', '/no/such'], {}, 2, /can not be read/],
    ['a batch of nothing', ['batch', 'echo'], {}, 2, /--items FILE or --items-from PATH/],
    ['a wrong number', ['tasks', 'list', '--limit', 'x'], {}, 2, /no whole number above 0/],
    ['a wrong URL', ['tasks', 'list', '--url', 'ftp://x'], {}, 2, /is no URL such as/],
    ['a flag that is not there', ['call', 'echo', '--fast'], {}, 2, /Unknown option '--fast'/],
    [
      'nobody there',
      ['tasks', 'list'],
      { LONGSHORE_URL: 'http://127.0.0.1:9/mcp' },
      3,
      /no answer from .* \(LONGSHORE_URL\): .*longshore start/,
    ],
    ['a time too many', ['schedule', 'add', 'echo', '--cron', 'x', '--at', 'y'], {}, 2, /--cron/],
    ['a schedule of nobody', ['schedule', 'remove', 'x'], {}, 1, /no such schedule/],
    [
      'a time that is over',
      ['schedule', 'add', 'echo', '--arg', 'text=x', '--at', '2020-01-01T00:00'],
      {},
      1,
      /is over/,
    ],
    ['no key', ['tasks', 'list'], { LONGSHORE_API_KEY: '' }, 4, /does not admit us.*--api-key/],
    ['a task of nobody', ['tasks', 'show', 'x'], {}, 1, /^longshore: .*task/i],
  ])(
    'explains %s',
    async (_what, args, over, code, message) => {
      const { code: exit, said } = await run(args, over);
      expect([exit, said]).toEqual([code, expect.stringMatching(message)]);
      expect(said).not.toMatch(/^\s+at /m);
    },
    30_000,
  );

  it('finds, shows, cancels and follows the task of an earlier command', async () => {
    const { code, said: id } = await run(['call', 'hang', '--detach']);
    expect([code, id]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const list = await run(['tasks', 'list', '--output', 'json']);
    expect(JSON.parse(list.said)[0]).toMatchObject({ job_id: id, tool: 'hang', status: 'working' });
    const shown = await run(['tasks', 'show', id, '--output', 'json']);
    expect(JSON.parse(shown.said)).toMatchObject({ taskId: id, status: 'working' });
    expect(await run(['tasks', 'retry', id])).toEqual({
      code: 1,
      said: expect.stringMatching(/^longshore: Job .* has not ended/),
    });
    expect(await run(['tasks', 'cancel', id])).toEqual({
      code: 0,
      said: `task ${id} is cancelled`,
    });
    expect(await run(['tasks', 'tail', id])).toEqual({
      code: 5,
      said: `task ${id} was cancelled`,
    });
  }, 60_000);

  it('runs the call of an earlier task again', async () => {
    const { said: id } = await run(['call', 'echo', '--arg', 'text=once more', '--detach']);
    expect(await run(['tasks', 'tail', id])).toMatchObject({ code: 0 });
    const { code, said } = await run(['tasks', 'retry', id]);
    expect([code, said]).toEqual([0, expect.stringMatching(/^task \S{36}\n.*once more/)]);
    expect(said).not.toContain(id);
    const { said: third } = await run(['tasks', 'retry', id, '--detach']);
    expect(third).toMatch(/^[0-9a-f-]{36}$/);
    expect(await run(['tasks', 'retry', 'x'])).toEqual({
      code: 1,
      said: expect.stringContaining('There is no job with this id'),
    });
  }, 60_000);

  it.each([
    ['leaves the task running and says its id', [], 130, 'working'],
    ['cancels the task when told to', ['--cancel-on-interrupt'], 5, 'cancelled'],
  ])(
    'interrupted, %s',
    async (_what, flags, code, status) => {
      const app = await start(['call', 'hang', '--watch', ...flags]);
      await app.waitForLine(/hanging/);
      expect(await app.kill('SIGINT')).toEqual({ code, signal: null });
      const id = /task (\S{36})/.exec(app.logs())?.[1] ?? '';
      const shown = await run(['tasks', 'show', id, '--output', 'json']);
      expect(JSON.parse(shown.said)).toMatchObject({ status });
      if (status === 'working') await run(['tasks', 'cancel', id]);
    },
    60_000,
  );

  it('schedules a tool, shows the schedule, and removes it', async () => {
    const options = '--cron @daily --time-zone Europe/Berlin --missed skip --name nightly';
    const added = await run(['schedule', 'add', 'echo', '--arg', 'text=7', ...options.split(' ')]);
    expect(added).toEqual({
      code: 0,
      said: expect.stringContaining('(nightly) runs echo at @daily in Europe/Berlin; next '),
    });
    const listed = await run(['schedule', 'list', '--output', 'json']);
    expect([listed.code, JSON.parse(listed.said)]).toMatchObject([
      0,
      [{ name: 'nightly', tool: 'echo', cron: '@daily', missed: 'skip', state: 'active', runs: 0 }],
    ]);
    expect((await run(['schedule', 'list'])).said).toMatch(
      /^ID +NAME +TOOL .*\n[-0-9a-f]{36} {2}nightly {2}echo +active +@daily Europe\/Berlin /,
    );
    const removed = await run(['schedule', 'remove', 'nightly']);
    expect(removed).toEqual({ code: 0, said: expect.stringContaining('Removed: ') });
    expect((await run(['schedule', 'list'])).said).toBe('there are no schedules');
  }, 60_000);

  it('runs a batch from a file, and fails when an item did', async () => {
    const good = await run(['batch', 'echo', '--items', file('good.csv', 'text\n1\n2\n')]);
    expect([good.code, JSON.parse(good.said)]).toEqual([
      0,
      expect.objectContaining({ total: 2, done: 2 }),
    ]);
    const lines = '{"text":"a"}\n{"wrong":1}\n';
    const bad = await run(['batch', 'echo', '--items', file('bad.jsonl', lines)]);
    expect([bad.code, JSON.parse(bad.said)]).toEqual([
      1,
      expect.objectContaining({ done: 1, failed: 1 }),
    ]);
  }, 60_000);

  it('runs `api` and `worker` in its own process', async () => {
    const api = await spawnProcess(process.execPath, [CLI, 'api'], {
      env: { ...stack.environment },
      ready: /api ready/,
    });
    expect(await api.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(api.logs()).toContain(`"pid":${api.pid}`);
  }, 60_000);

  describe('doctor', () => {
    const { DATABASE_URL: _url, ...without } = process.env;

    it('finds nothing wrong where nothing is', async () => {
      const { DATABASE_URL = '' } = stack.environment;
      const { code, said } = await run(['doctor'], { DATABASE_URL, PORT: '0' });
      expect([code, said]).toEqual([0, expect.stringMatching(/ok {6}migrations: all applied/)]);
      expect(said).not.toContain('fix:');
    }, 30_000);

    it('says how to mend each thing', async () => {
      const over = {
        ...without,
        DATABASE_URL: 'postgresql://me:geheim@127.0.0.1:9/x',
        REDIS_URL: 'redis://127.0.0.1:9',
        DATA_DIR: path.join(file('in-the-way', ''), 'data'),
        PORT: new URL(stack.urls[0] ?? '').port,
      } as Record<string, string>;
      const { code, said } = await run(['doctor', '--output', 'json'], over);
      expect(code).toBe(1);
      const found = JSON.parse(said) as { check: string; verdict: string; fix?: string }[];
      const problems = found.filter(({ verdict }) => verdict === 'problem');
      expect(problems.map(({ check }) => check)).toEqual(['DATA_DIR', 'PORT', 'database', 'Redis']);
      for (const { fix } of problems) expect(fix).toMatch(/\w+/);
      expect(said).not.toContain('geheim');
    }, 30_000);
  });
});
