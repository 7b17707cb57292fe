import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import { createKey } from './support/api-keys.ts';
import { runCommand } from './support/command-line.ts';
import { LosingProxy } from './support/losing-proxy.ts';
import { FIXTURE_TOOLS, RESULT_TOOLS, type Stack, startStack } from './support/stack.ts';
import { CLI } from './support/stdio-host.ts';

/** The commands that ask a server, against one with keys; what a process is, such as signals, with real ones. */
describe('the command line', () => {
  let stack: Stack;
  let dir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-cli-'));
    stack = await startStack({
      mode: 'postgres',
      environment: {
        AUTH: 'api-key',
        PLUGINS: `${FIXTURE_TOOLS},${RESULT_TOOLS}`,
        RESULT_INLINE_BYTES: '4096',
        // Who comes back to a task is not to wait for a beat.
        PROGRESS_INTERVAL_MS: '3600000',
      },
    });
    const { key } = await createKey(stack);
    env = { LONGSHORE_URL: stack.urls[0] ?? '', LONGSHORE_API_KEY: key, DATA_DIR: dir };
  }, 60_000);
  afterAll(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true });
  });

  const start = (args: readonly string[], over: Record<string, string> = {}) =>
    spawnProcess(process.execPath, [CLI, ...args], { env: { ...env, ...over } });
  const run = (args: readonly string[], over: Record<string, string> = {}) =>
    runCommand(args, { ...env, ...over });
  const runProcess = async (args: readonly string[], over: Record<string, string> = {}) => {
    const app: SpawnedProcess = await start(args, over);
    const { code } = await app.exited;
    return { code, said: app.logs() };
  };
  /** What is on standard output, behind the line with the id. */
  const resultOf = (said: string) => JSON.parse(said.replace(/^task \S{36}\n/, ''));
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text);
    return path.join(dir, name);
  };

  it('calls a tool with typed arguments, shows its progress, and prints its result', async () => {
    const { code, said } = await runProcess(
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
    expect(await runProcess(['call', 'echo', '--arg', 'text=42'])).toMatchObject({ code: 0 });
    expect(await runProcess(['call', 'fail', '--arg', 'message=no paper'])).toEqual({
      code: 1,
      said: expect.stringMatching(/^task \S{36}\nno paper$/),
    });
    expect(await run(['call', 'refuse'])).toEqual({
      code: 1,
      said: expect.stringMatching(/^task \S{36}\nlongshore: refused$/),
    });
    const unfit = await run(['call', 'steps', '--arg', 'steps=many']);
    expect(unfit).toMatchObject({ code: 1, said: expect.stringContaining('steps') });
  }, 60_000);

  it.each<[string, string[], Record<string, string>, number, RegExp]>([
    ['an unknown tool', ['call', 'stepz'], {}, 2, /no tool 'stepz'\. Did you mean steps\?/],
    ['a wrong pair', ['call', 'echo', '--arg', 'text'], {}, 2, /is no NAME=VALUE/],
    ['a missing file', ['call', 'echo', '--json', '/no/such'], {}, 2, /can not be read/],
    ['a batch of nothing', ['batch', 'echo'], {}, 2, /--items FILE or --items-from PATH/],
    ['a wrong number', ['tasks', 'list', '--limit', 'x'], {}, 2, /no whole number above 0/],
    ['a missing batch', ['batch', 'echo', '--items', '/no/such.csv'], {}, 2, /can not be read/],
    ['a wrong URL', ['tasks', 'list', '--url', 'ftp://x'], {}, 2, /is no URL such as/],
    [
      'a flag that is not there',
      ['call', 'echo', '--fast'],
      {},
      2,
      /^longshore: unknown option '--fast'$/,
    ],
    [
      'nobody there',
      ['tasks', 'list'],
      { LONGSHORE_URL: 'http://127.0.0.1:9/mcp' },
      3,
      /no answer from .* \(LONGSHORE_URL\): .*longshore start/,
    ],
    ['a time too many', ['schedule', 'add', 'echo', '--cron', 'x', '--at', 'y'], {}, 2, /--cron/],
    [
      'an endpoint without its path',
      ['tools', 'list', '--url', 'ORIGIN'],
      {},
      3,
      /Is it \S+\/mcp\?$/,
    ],
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
      const origin = new URL(stack.urls[0] ?? '').origin;
      const { code: exit, said } = await run(
        args.map((word) => (word === 'ORIGIN' ? origin : word)),
        over,
      );
      expect([exit, said]).toEqual([code, expect.stringMatching(message)]);
      expect(said).not.toMatch(/^\s+at /m);
    },
    30_000,
  );

  it('finds, shows, cancels and follows the task of an earlier command', async () => {
    const { code, said: id } = await run(['call', 'hang', '--detach']);
    expect([code, id]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const list = await run(['tasks', 'list', '--output', 'json']);
    expect(JSON.parse(list.said)[0]).toMatchObject({
      task_id: id,
      tool: 'hang',
      status: 'working',
    });
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
      await app.waitForLine(/50% 1\/2/);
      expect(await app.kill('SIGINT')).toEqual({ code, signal: null });
      const id = /^task (\S{36})$/m.exec(app.logs())?.[1] ?? '';
      const shown = await run(['tasks', 'show', id, '--output', 'json']);
      expect(JSON.parse(shown.said)).toMatchObject({ status });
      if (status === 'working') await run(['tasks', 'cancel', id]);
    },
    60_000,
  );

  it('shows who comes back to a task that stands still how far it is', async () => {
    const { said: id } = await run(['call', 'hang', '--detach']);
    await waitFor(
      async () => {
        const { said } = await run(['tasks', 'list', '--limit', '1', '--json']);
        return JSON.parse(said)[0].progress === 1;
      },
      { what: 'the progress is in the row' },
    );
    const app = await start(['tasks', 'tail', id]);
    await app.waitForLine(/50% 1\/2 hanging$/);
    await run(['tasks', 'cancel', id]);
    expect(await app.exited).toEqual({ code: 5, signal: null });
  }, 60_000);

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
    expect([good.code, resultOf(good.said)]).toEqual([
      0,
      expect.objectContaining({ total: 2, done: 2 }),
    ]);
    const lines = '{"text":"a"}\n{"wrong":1}\n';
    const bad = await run(['batch', 'echo', '--items', file('bad.jsonl', lines)]);
    expect([bad.code, resultOf(bad.said)]).toEqual([
      1,
      expect.objectContaining({ done: 1, failed: 1 }),
    ]);
  }, 60_000);

  it('shows the tools, and what each takes', async () => {
    const list = await run(['tools', 'list']);
    expect([list.code, list.said]).toEqual([0, expect.stringMatching(/^TOOL +DOES\n/)]);
    expect(list.said).toMatch(/^steps +\S/m);
    const shown = await run(['tools', 'show', 'steps']);
    expect([shown.code, shown.said]).toEqual([0, expect.stringMatching(/^ {2}steps +integer/m)]);
    expect(shown.said).toMatch(/^ {2}longshore call steps/m);
    expect(await run(['call', 'steps', '--help'])).toEqual(shown);
  }, 60_000);

  it('fetches what a call has made, with the commands it prints beside the links', async () => {
    const { said } = await run(['call', 'report', '--arg', 'count=3', '--arg', 'bytes=5']);
    const id = /^task (\S{36})$/m.exec(said)?.[1] ?? '';
    const [fetching = ''] = /^ {2}longshore tasks download .*txt.*$/m.exec(said) ?? [];
    const [, name = ''] = /'(.*)'$/.exec(fetching.trim()) ?? [];
    const out = path.join(dir, 'fetched.txt');
    const fetched = await run(['tasks', 'download', id, name, '-o', out]);
    expect([fetched, readFileSync(out, 'utf8').split('\n')]).toEqual([
      { code: 0, said: `wrote ${out}` },
      [expect.stringContaining('line 0'), 'line 1 äöü', 'line 2 äöü', ''],
    ]);
    expect(await run(['tasks', 'download', id])).toEqual({
      code: 2,
      said: expect.stringMatching(/several files, say which one: .*bytes\.bin/),
    });
    expect(await run(['tasks', 'download', id, 'no.txt', '-o', '-'])).toEqual({
      code: 1,
      said: `longshore: task ${id} has no file 'no.txt'`,
    });
  }, 60_000);

  it('fetches the whole of a result that was too large for the answer', async () => {
    const { said } = await run(['call', 'lines', '--arg', 'count=2000']);
    const [, id = ''] = /^ {2}longshore tasks result (\S{36})$/m.exec(said) ?? [];
    expect(said).not.toContain('line 1999');
    const whole = await run(['tasks', 'result', id]);
    expect([whole.code, whole.said]).toEqual([0, expect.stringMatching(/line 1999 äöü\s*$/)]);
    const { said: hanging } = await run(['call', 'hang', '--detach']);
    expect(await run(['tasks', 'result', hanging])).toEqual({
      code: 1,
      said: expect.stringMatching(/has no result yet, it is working.*longshore tasks tail/),
    });
    await run(['tasks', 'cancel', hanging]);
  }, 60_000);

  it('fetches the items of a batch, and says of a task all there is', async () => {
    const lines = '{"text":"a"}\n{"wrong":1}\n';
    const { said } = await run(['batch', 'echo', '--items', file('mixed.jsonl', lines)]);
    const id = /^task (\S{36})$/m.exec(said)?.[1] ?? '';
    const all = await run(['tasks', 'items', id]);
    expect(all.said.split('\n').map((line) => JSON.parse(line).index)).toEqual([0, 1]);
    const failed = await run(['tasks', 'items', id, '--failed', '--csv']);
    expect([failed.code, failed.said]).toEqual([0, expect.stringMatching(/^index,.*\n1,/)]);
    const shown = await run(['tasks', 'show', id]);
    expect(shown.said).toMatch(/^tool +batch$/m);
    expect(shown.said).toMatch(/^arguments +\{"tool":"echo"/m);
    expect(shown.said).toMatch(/^ATTEMPT +WORKER +BEGAN +END\n1 +[0-9a-f]{8} .* result$/m);
    expect(shown.said).toMatch(/^failed items:\n {2}1 {2}INVALID_ARGUMENTS .*text/m);
    const broken = await run(['call', 'flaky', '--arg', 'failures=1']);
    const flaky = /^task (\S{36})$/m.exec(broken.said)?.[1] ?? '';
    expect((await run(['tasks', 'show', flaky])).said).toMatch(/^1 .* failed: .*\n2 .* result$/m);
  }, 60_000);

  it('lists what is asked for', async () => {
    await run(['call', 'fail', '--arg', 'message=listed']);
    const failed = await run(['tasks', 'list', '--status', 'failed', '--tool', 'fail', '--json']);
    const jobs = JSON.parse(failed.said) as { tool: string; status: string }[];
    expect(jobs.length).toBeGreaterThan(0);
    expect(jobs.every(({ tool, status }) => tool === 'fail' && status === 'failed')).toBe(true);
    expect((await run(['tasks', 'list', '--since', '2100-01-01'])).said).toBe(
      'there are no such tasks',
    );
    expect((await run(['tasks', 'list', '--limit', '1'])).said).toMatch(
      /^ID +CREATED +STATUS +TOOL +PROGRESS +SAYS\n\S{36} {2}\d\d-\d\d \d\d:\d\d:\d\d .*$/,
    );
  }, 60_000);

  describe('when the server goes away', () => {
    it('waits for it, and goes on with the task', async () => {
      const args = ['call', 'steps', '--arg', 'steps=12', '--arg', 'stepMs=250', '--watch'];
      const app = await start(args);
      await app.waitForLine(/step 2/);
      await stack.apis.at(-1)?.kill('SIGKILL');
      const { port } = new URL(stack.urls.at(-1) ?? '');
      await app.waitForLine(/no answer from .*; waiting for it, 60 s at most/);
      await stack.startApi({ PORT: port });
      expect(await app.exited).toEqual({ code: 0, signal: null });
      const [, id] = /^task (\S{36})$/m.exec(app.logs()) ?? [];
      expect(app.logs()).toMatch(/answers again/);
      const { said } = await run(['tasks', 'list', '--limit', '1', '--json']);
      expect(JSON.parse(said)).toMatchObject([{ task_id: id, tool: 'steps', status: 'completed' }]);
    }, 60_000);

    it('says in the end how to ask later', async () => {
      const proxy = await LosingProxy.start(stack.urls.at(-1) ?? '', 'nothing');
      const app = await start(['call', 'hang', '--patience', '1'], { LONGSHORE_URL: proxy.url });
      const [, id = ''] = /^task (\S{36})$/.exec(await app.waitForLine(/^task \S{36}$/)) ?? [];
      await proxy.stop();
      expect(await app.exited).toEqual({ code: 3, signal: null });
      expect(app.logs()).toMatch(
        new RegExp(`Task ${id} does not end by that. Come back: longshore tasks tail ${id}$`),
      );
      expect(await run(['tasks', 'cancel', id])).toMatchObject({ code: 0 });
    }, 60_000);

    it('sends a call again whose answer was lost, and it is one task', async () => {
      const proxy = await LosingProxy.start(stack.urls.at(-1) ?? '', '"name":"echo"');
      const key = `lost-${process.pid}`;
      const called = await run(['call', 'echo', '--arg', `text=${key}`], {
        LONGSHORE_URL: proxy.url,
      });
      await proxy.stop();
      expect([called.code, proxy.lost]).toEqual([0, 1]);
      const { said } = await run(['tasks', 'list', '--tool', 'echo', '--limit', '5', '--json']);
      const ids = JSON.parse(said).map(({ task_id: id }: { task_id: string }) => id);
      const shown = await Promise.all(ids.map((id: string) => run(['tasks', 'show', id])));
      expect(shown.filter((one) => one.said.includes(key))).toHaveLength(1);
    }, 60_000);
  });

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
      const { code, said } = await runProcess(['doctor'], { DATABASE_URL, PORT: '0' });
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
      const { code, said } = await runProcess(['doctor', '--output', 'json'], over);
      expect(code).toBe(1);
      const found = JSON.parse(said) as { check: string; verdict: string; fix?: string }[];
      const problems = found.filter(({ verdict }) => verdict === 'problem');
      expect(problems.map(({ check }) => check)).toEqual(['DATA_DIR', 'PORT', 'database', 'Redis']);
      for (const { fix } of problems) expect(fix).toMatch(/\w+/);
      expect(said).not.toContain('geheim');
    }, 30_000);
  });

  /** At the end, for nobody runs tools from here on. */
  describe('without a worker', () => {
    beforeAll(async () => {
      await stack.workers[0]?.kill();
    }, 30_000);

    it('a call says so instead of that there is no such tool', async () => {
      await waitFor(
        async () => {
          const ready = await fetch(new URL('/readyz', stack.urls.at(-1)));
          const body = (await ready.json()) as { workers: number };
          return body.workers === 0 ? body : null;
        },
        { what: 'the last worker has gone' },
      );
      const { code, said } = await run(['call', 'echo', '--arg', 'text=x']);
      expect([code, said]).toEqual([1, expect.stringMatching(/^longshore: no worker is running/)]);
    }, 30_000);

    it('doctor says so', async () => {
      const { DATABASE_URL = '' } = stack.environment;
      const { code, said } = await runProcess(['doctor'], { DATABASE_URL, PORT: '0' });
      expect([code, said]).toEqual([
        0,
        expect.stringMatching(/^warning workers: no worker is running.*\n +fix: start one/m),
      ]);
    }, 30_000);

    it('who follows a task hears that its worker was lost, and what it waits for', async () => {
      const worker = await stack.startWorker();
      const app = await start(['call', 'hang', '--watch']);
      await app.waitForLine(/50% 1\/2/);
      const [, id = ''] = /^task (\S{36})$/m.exec(app.logs()) ?? [];
      await worker.kill('SIGKILL');
      await app.waitForLine(/^a worker was lost: what it ran goes on elsewhere$/);
      await app.waitForLine(/^it waits for a worker: none is running$/);
      const { said } = await run(['tasks', 'show', id]);
      expect(said).toMatch(/^status +queued\nwaits for +a worker: none is running$/m);
      expect(await app.kill('SIGINT')).toEqual({ code: 130, signal: null });
    }, 60_000);
  });
});
