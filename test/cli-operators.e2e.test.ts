import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { type SpawnedProcess, spawnProcess } from '@longshore/testing/processes';
import { createKey } from './support/api-keys.ts';
import { runCommand } from './support/command-line.ts';
import { OperatorApi } from './support/operator-client.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';
import { CLI } from './support/stdio-host.ts';

const OPERATOR_TOOLS = path.join(import.meta.dirname, 'fixtures', 'operator-tools.js');

/** The commands that look after a fleet, with the keys of an operator, of one who looks only, and of two clients. */
function tests(mode: Mode): void {
  let stack: Stack;
  let dir: string;
  let ada: OperatorApi;
  let bob: OperatorApi;
  const keys = { root: '', viewer: '', ada: '', bob: '' };
  type Who = keyof typeof keys;

  beforeAll(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-operators-'));
    stack = await startStack({
      mode,
      environment: { AUTH: 'api-key', PLUGINS: `${FIXTURE_TOOLS},${OPERATOR_TOOLS}` },
    });
    const clients = ['tasks:read', 'tasks:write', 'tools:*'];
    for (const [who, scopes] of Object.entries({
      root: ['ops:write'],
      viewer: ['ops:read'],
      ada: clients,
      bob: clients,
    }))
      keys[who as Who] = (await createKey(stack, { principal: who, scopes })).key;
    ada = new OperatorApi(stack.urls[0] ?? '', keys.ada);
    bob = new OperatorApi(stack.urls[0] ?? '', keys.bob);
    await waitFor(async () => (await ada.call('GET /tools')).tools.length > 4, {
      what: 'the catalogue is there',
    });
  }, 60_000);
  afterAll(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true });
  });

  const envOf = (who: Who) => ({
    LONGSHORE_URL: stack.urls[0] ?? '',
    LONGSHORE_API_KEY: keys[who],
    DATA_DIR: dir,
  });
  const as = (who: Who, line: string, over: Record<string, string> = {}) =>
    runCommand(line.split(' '), { ...envOf(who), ...over });
  const json = async (who: Who, line: string) => {
    const { code, said } = await as(who, `${line} --json`);
    expect([code, said]).toEqual([0, expect.stringMatching(/^[[{]/)]);
    return JSON.parse(said);
  };
  const idsOf = async (who: Who, line: string): Promise<string[]> =>
    (await json(who, line)).map(({ id }: { id: string }) => id);

  describe('tasks list', () => {
    let mine: string;
    let odd: string;
    let theirs: string;

    beforeAll(async () => {
      mine = await ada.run('echo', { text: 'of ada' });
      await ada.inPhase(mine, 'completed');
      odd = await ada.run('even', { n: 1 });
      await ada.inPhase(odd, 'failed');
      theirs = await bob.run('slow', { ms: 1 });
      await bob.inPhase(theirs, 'completed');
    });

    it('has the tasks of all for who has ops:read, and one’s own otherwise', async () => {
      expect(await idsOf('viewer', 'tasks list --all')).toEqual([theirs, odd, mine]);
      expect(await idsOf('viewer', 'tasks list --phase completed')).toEqual([]);
      expect(await idsOf('ada', 'tasks list --phase completed failed')).toEqual([odd, mine]);
      expect(await idsOf('bob', 'tasks list --text ada')).toEqual([]);
      const [job] = await json('ada', 'tasks list --tool echo');
      expect(job).toMatchObject({ task_id: mine, status: 'completed' });
      const { said } = await as('viewer', 'tasks list --all --limit 2');
      const [head, first, second, ...more] = said.split('\n');
      expect(head).toMatch(/^ID +CREATED +PHASE +TOOL +QUEUE +PRINCIPAL +PROGRESS +SAYS$/);
      expect(first).toMatch(new RegExp(`^${theirs} .* completed +slow +slow +bob`));
      expect(second).toMatch(new RegExp(`^${odd} .* failed +even +default +ada +1 is <b>odd</b>`));
      expect(more).toEqual([]);
    });

    it('filters', async () => {
      expect(await idsOf('viewer', 'tasks list --all --tool even --status failed')).toEqual([odd]);
      expect(await idsOf('viewer', 'tasks list --all --queue slow')).toEqual([theirs]);
      expect(await idsOf('viewer', 'tasks list --all --text ADA')).toEqual([mine]);
      expect(await idsOf('viewer', 'tasks list --all --since 2100-01-01')).toEqual([]);
      expect(await idsOf('viewer', 'tasks list --principal bob')).toEqual([theirs]);
      const { principal } = await ada.call('GET /me');
      expect(await idsOf('viewer', `tasks list --principal ${principal.id}`)).toEqual([odd, mine]);
      expect((await as('viewer', 'tasks list --all --tool nothing')).said).toBe(
        'there are no such tasks',
      );
    });
  });

  it('lists the workers, drains one by the beginning of its id, and lets it go on', async () => {
    const [worker] = await json('viewer', 'workers list');
    expect(worker).toMatchObject({ state: 'live', pid: stack.workers[0]?.pid });
    const { said } = await as('viewer', 'workers list');
    expect(said).toMatch(/^WORKER +STATE +RUNS +HOST +PID +STARTED +VERSION +QUEUES\n/);
    expect(said).toMatch(new RegExp(`^${worker.id} +live +0/${worker.seats} .*default`, 'm'));
    const busy = await ada.run('wait');
    await ada.inPhase(busy, 'running');
    const beginning = worker.id.slice(0, 13);
    expect(await as('root', `workers drain ${beginning}`)).toEqual({
      code: 0,
      said: expect.stringMatching(/takes nothing new, and ends what it runs: 1 now$/),
    });
    expect(await json('viewer', 'workers list')).toMatchObject([{ state: 'draining', running: 1 }]);
    await ada.call('POST /tasks/{id}/cancel', { params: { id: busy } });
    expect(await json('root', `workers resume ${beginning}`)).toMatchObject({ state: 'live' });
    const after = await ada.run('even', { n: 2 });
    await ada.inPhase(after, 'completed');
  }, 30_000);

  it('pauses and resumes a queue', async () => {
    expect(await as('root', 'queues pause slow')).toEqual({
      code: 0,
      said: 'queue slow is paused: nothing more of it starts, what runs goes on',
    });
    const id = await ada.run('slow', { ms: 1 });
    const waits = await ada.inPhase(id, 'waiting');
    expect(waits.waitsFor).toBe('its queue, slow, which is paused');
    const slow = await waitFor(
      async () => {
        const queues: { name: string; waiting: number }[] = await json('viewer', 'queues list');
        return queues.find(({ name, waiting }) => name === 'slow' && waiting === 1);
      },
      { what: 'what waits is counted', timeoutMs: 20_000 },
    );
    expect(slow).toMatchObject({ isPaused: true });
    const { said } = await as('viewer', 'queues list');
    expect(said).toMatch(/^QUEUE +STATE +WAITING +READY .*\n/);
    expect(said).toMatch(/^slow +paused +1 /m);
    expect(await json('root', 'queues resume slow')).toEqual({ queue: 'slow', isPaused: false });
    await ada.inPhase(id, 'completed');
  }, 30_000);

  it('pauses and resumes a tool', async () => {
    expect(await json('root', 'tools pause echo')).toEqual({ tool: 'echo', isPaused: true });
    const id = await ada.run('echo', { text: 'later' });
    expect((await ada.inPhase(id, 'waiting')).waitsFor).toBe('its tool, echo, which is paused');
    expect(await as('root', 'tools resume echo')).toEqual({
      code: 0,
      said: 'tool echo is on: what waits starts again',
    });
    await ada.inPhase(id, 'completed');
  }, 30_000);

  it.each<[string, Who, string, Record<string, string>, number, RegExp]>([
    [
      'tasks of all without ops:read',
      'ada',
      'tasks list --all',
      {},
      4,
      /longshore keys create --name operator --scope ops:read/,
    ],
    ['tasks of another', 'ada', 'tasks list --principal bob', {}, 4, /ops:read/],
    ['workers without ops:read', 'ada', 'workers list', {}, 4, /: ops:read\. A key that may: /],
    ['a pause without ops:write', 'viewer', 'queues pause slow', {}, 4, /--scope ops:write$/],
    [
      'a key that is not good',
      'ada',
      'top --once',
      { LONGSHORE_API_KEY: `ls_${'x'.repeat(43)}` },
      4,
      /does not admit us: .* the key ls_xxxxx…: see "longshore keys list"/,
    ],
    [
      'no key',
      'ada',
      'queues list',
      { LONGSHORE_API_KEY: '' },
      4,
      /No key was sent: set LONGSHORE_API_KEY/,
    ],
    [
      'nobody there',
      'root',
      'workers list',
      { LONGSHORE_URL: 'http://127.0.0.1:9/mcp' },
      3,
      /no answer from .*:9\/mcp \(LONGSHORE_URL\): .*longshore start/,
    ],
    ['a queue that is mistyped', 'root', 'queues pause slwo', {}, 2, /Did you mean slow\?$/],
    [
      'a tool that is not there',
      'root',
      'tools pause zzzzzz',
      {},
      2,
      /^longshore: there is no tool 'zzzzzz'\. There are: /,
    ],
    ['a worker that is not there', 'root', 'workers drain zz', {}, 2, /there is no worker 'zz'/],
    [
      'a principal that is not there',
      'root',
      'tasks list --principal eve',
      {},
      2,
      /there is no principal 'eve'/,
    ],
    [
      'a phase that is none',
      'root',
      'tasks list --phase asleep',
      {},
      2,
      /Allowed choices are waiting, /,
    ],
    [
      'a text that is too short',
      'root',
      'tasks list --all --text a',
      {},
      2,
      /The query does not fit: text/,
    ],
  ])('explains %s', async (_what, who, line, over, code, message) => {
    const { code: exit, said } = await as(who, line, over);
    expect([exit, said]).toEqual([code, expect.stringMatching(message)]);
    expect(said).not.toMatch(/^\s+at /m);
    expect(said).not.toContain(over['LONGSHORE_API_KEY'] || keys[who]);
  });

  it('says of a server without the API that it has none', async () => {
    const other = createServer((_request, response) => response.writeHead(404).end('nothing'));
    await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const LONGSHORE_URL = `http://127.0.0.1:${port}/mcp`;
    expect(await as('root', 'queues list', { LONGSHORE_URL })).toEqual({
      code: 1,
      said: expect.stringContaining('has no operator API'),
    });
    await new Promise((resolve) => other.close(resolve));
  });

  describe('top', () => {
    it('is printed once where there is no terminal', async () => {
      const { code, said } = await as('viewer', 'top');
      expect(code).toBe(0);
      expect(said).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp at \d\d-\d\d \d\d:\d\d:\d\d$/m);
      expect(said).toMatch(
        /^open +\d+: \d+ waiting, \d+ ready, \d+ retrying, \d+ running, \d+ asking$/m,
      );
      expect(said).toMatch(/^workers +1 live; \d+ of \d+ seats taken$/m);
      expect(said).toMatch(/^QUEUE +STATE /m);
      expect(said).not.toContain('\u001B');
      const fleet = await waitFor(
        async () => {
          const found = await json('viewer', 'top');
          return found.recent.ended > 0 ? found : null;
        },
        { what: 'what has ended is counted', timeoutMs: 20_000 },
      );
      expect(fleet).toMatchObject({
        overview: { workers: { live: 1 } },
        workers: [{ state: 'live' }],
      });
      expect(fleet.recent.failedShare).toBeGreaterThan(0);
      expect(fleet.recent.runMs.p95).toBeGreaterThanOrEqual(fleet.recent.runMs.p50);
    }, 30_000);

    describe('on a terminal', () => {
      let typing: number;
      let onTerminal: SpawnedProcess;

      beforeAll(async () => {
        const fifo = path.join(dir, 'typed');
        spawnSync('mkfifo', [fifo]);
        typing = openSync(fifo, 'r+');
        // A terminal of 120 columns and 40 rows; what is typed comes through the pipe.
        const command = `stty cols 120 rows 40; ${process.execPath} ${CLI} top`;
        onTerminal = await spawnProcess(
          'bash',
          ['-c', 'exec script -qefc "$0" /dev/null <"$1"', command, fifo],
          { env: envOf('viewer') },
        );
      });
      afterAll(() => closeSync(typing));

      /** A line that is drawn from now on. */
      const drawn = (isMeant: (line: string) => boolean): Promise<unknown> => {
        const seen = onTerminal.lines.length;
        return waitFor(() => onTerminal.lines.slice(seen).some(isMeant), {
          what: `it is drawn anew, behind:\n${onTerminal.lines.slice(-30).join('\n')}`,
        });
      };

      it('is drawn again and again, says when the server is away, and q leaves', async () => {
        await onTerminal.waitForLine(/^\S*http.* at /);
        expect(onTerminal.logs()).toContain('\u001B[?1049h');
        await as('root', 'queues pause slow');
        const id = await ada.run('slow', { ms: 1 });
        await onTerminal.waitForLine(/^slow +paused +1 /);
        await as('root', 'queues resume slow');
        await ada.inPhase(id, 'completed');
        await drawn((line) => /^slow +on +0 /.test(line));
        const { port } = new URL(stack.urls[0] ?? '');
        await stack.apis[0]?.kill('SIGKILL');
        await onTerminal.waitForLine(/does not answer; this is what was last seen/);
        await stack.startApi({ PORT: port });
        await drawn((line) => line.includes('\u001B[Hhttp'));
        writeSync(typing, 'xq');
        expect(await onTerminal.exited).toEqual({ code: 0, signal: null });
        expect(onTerminal.logs().trimEnd().endsWith('\u001B[?25h\u001B[?1049l')).toBe(true);
      }, 60_000);
    });
  });
}

describeInMode('the command line of operators', 'redis', tests);
