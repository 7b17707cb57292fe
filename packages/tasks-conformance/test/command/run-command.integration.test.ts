import { execFile } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../src/command/run-command.ts';
import { REQUIREMENTS } from '../../src/manifest/requirements.ts';
import type { Fault } from '../faults/fault.ts';
import { NEGOTIATION_FAULTS } from '../faults/negotiation-faults.ts';
import { MiniServer } from '../mini-server/mini-server.ts';

const BIN = path.join(import.meta.dirname, '../../bin/mcp-tasks-conformance.js');

async function run(...args: string[]) {
  const written = { out: '', err: '' };
  const code = await runCommand(args, {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    isWatched: false,
  });
  return { code, ...written };
}

const faultOf = (breaks: string): Fault => {
  const fault = NEGOTIATION_FAULTS.find((each) => each.breaks === breaks);
  if (fault === undefined) throw new Error(`no fault breaks ${breaks}`);
  return fault;
};

describe('against a server that does what is asked', () => {
  let server: MiniServer;
  beforeAll(async () => {
    server = await MiniServer.start();
  });
  afterAll(() => server.stop());

  it('exits with 0 and a table', async () => {
    const { code, out, err } = await run('--url', server.url, '--only', 'tasks-unknown-task');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^mini 1\.0\.0 at http:\/\/127\.0\.0\.1:\d+\/mcp, revision 2025-11-25\n/);
    expect(out).toMatch(/^pass {2}MUST {4}tasks-unknown-task\/get$/m);
    expect(out).toContain('3 passed, 0 failed, 0 warnings, 0 skipped in ');
  });

  it('reports as JSON and nothing else', async () => {
    const args = [
      '--url',
      server.url,
      '--only',
      'tasks-get-no-stream,tasks-create-result/optional',
    ];
    const { code, out } = await run(...args, '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      url: server.url,
      passed: true,
      counts: { passed: 2, failed: 0, warning: 0, skipped: 0 },
      results: [
        { check: 'tasks-create-result/optional', status: 'passed', message: null },
        { check: 'tasks-get-no-stream', level: 'SHOULD', requirement: 'tasks-get-no-stream' },
      ],
    });
  });

  it('skips for a tool that is missing, or fails when all is required', async () => {
    const args = [
      '--url',
      server.url,
      '--tool',
      'fail=nothing',
      '--only',
      'tasks-failed-tool-error',
    ];
    const skipped = await run(...args);
    expect(skipped.code).toBe(0);
    expect(skipped.out).toContain('the server has no tool nothing (--tool fail=NAME)');
    expect((await run(...args, '--require-all')).code).toBe(1);
  });

  it('runs as a process', async () => {
    const args = [BIN, '--url', server.url, '--only', 'tasks-tool-required'];
    const { error, stdout } = await new Promise<{ error: Error | null; stdout: string }>(
      (resolve) => {
        execFile(process.execPath, args, (failure, out) =>
          resolve({ error: failure, stdout: out }),
        );
      },
    );
    expect(error).toBeNull();
    expect(stdout).toContain('1 passed, 0 failed');
  });
});

it('exits with 1 and says what is asked when a MUST is not kept', async () => {
  const server = await MiniServer.start(faultOf('tasks-tool-required'));
  const { code, out } = await run('--url', server.url, '--only', 'tasks-tool-required');
  await server.stop();
  expect(code).toBe(1);
  expect(out).toMatch(/^FAIL {2}MUST {4}tasks-tool-required\n {8}answered \{"content"/m);
  expect(out).toContain('Servers MUST return a -32601 (Method not found) error');
});

it('exits with 0 when a SHOULD is not kept, unless it is strict', async () => {
  const server = await MiniServer.start(faultOf('tasks-tool-forbidden'));
  const args = ['--url', server.url, '--only', 'tasks-tool-forbidden'];
  expect((await run(...args)).code).toBe(0);
  expect((await run(...args, '--strict')).code).toBe(1);
  await server.stop();
});

it('exits with 2 when it can not be run', async () => {
  const server = await MiniServer.start();
  const { url } = server;
  expect(await run('--url', url, '--only', 'no-such-thing')).toEqual({
    code: 2,
    out: '',
    err: 'mcp-tasks-conformance: no check for no-such-thing\n',
  });
  await server.stop();
  expect(await run('--url', url)).toMatchObject({
    code: 2,
    err: expect.stringContaining('ECONNREFUSED'),
  });
  expect(await run()).toMatchObject({ code: 2, err: expect.stringContaining('Usage:') });
});

it('lists what it knows', async () => {
  expect(await run('--help')).toMatchObject({ code: 0, err: '' });
  const listed: { id: string }[] = JSON.parse((await run('--list', '--json')).out);
  expect(listed.map(({ id }) => id)).toEqual(REQUIREMENTS.map(({ id }) => id));
  const { out } = await run('--list');
  expect(out).toContain('checks: tasks-unknown-task/get, tasks-unknown-task/result');
  expect(out).toContain('not checked: A client can not make a server fail inside.');
});
