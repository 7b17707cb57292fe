import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { describeInMode, type Mode, waitFor } from '@longshore/testing';
import { WireClient } from '@longshore/testing/mcp';
import { startTask } from './support/legacy-stack.ts';
import { type Stack, startStack } from './support/stack.ts';

const version = (name: string) => ({
  PLUGINS: path.join(import.meta.dirname, 'fixtures', 'versions', name),
});

const tests = (mode: Mode) => () => {
  let stack: Stack;
  let client: WireClient;
  let dir: string;
  let gate: string;
  beforeEach(async () => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-versions-'));
    gate = path.join(dir, 'go');
    const environment = { ...version('v1'), WORKER_CONCURRENCY: '1', SHUTDOWN_GRACE_MS: '0' };
    stack = await startStack({ mode, environment });
    client = new WireClient(...stack.urls);
    await client.initialize('2025-11-25', {});
    await listed('nickname');
  });
  afterEach(async () => {
    await stack.stop();
    rmSync(dir, { recursive: true });
  });

  /** Waits until the tool, which is there once, takes this argument. */
  const listed = (argument: string) =>
    waitFor(
      async () => {
        const { tools } = (await client.result('tools/list')) as { tools: { name: string }[] };
        const found = tools.filter(({ name }) => name === 'greet');
        expect(found).toHaveLength(1);
        return JSON.stringify(found).includes(argument);
      },
      { what: `the tool that takes ${argument} is listed` },
    );
  const submit = (args: object) => startTask(client, 'greet', args);
  const text = async (taskId: string): Promise<string> => {
    const { content } = await client.result('tasks/result', { taskId });
    return (content as { text: string }[])[0]?.text ?? '';
  };
  const call = async (args: object): Promise<string> => text(await submit(args));
  const busy = async (): Promise<string> => {
    const taskId = await submit({ name: 'Ann', until: gate });
    await stack.workers[0]?.waitForLine(new RegExp(`${taskId}.*attempt started`));
    return taskId;
  };

  it('has each call run by the version that its arguments were checked against', async () => {
    const held = await busy();
    const early = await submit({ name: 'Bob', nickname: 'Bobby' });
    const second = await stack.startWorker(version('v2'));
    await second.waitForLine(/another version of tool greet/);
    await listed('polite');
    for (const name of ['Cid', 'Dee']) {
      expect(await call({ name, polite: true })).toBe(`version 2 greets ${name}`);
    }
    expect(await call({ name: 'Eve', nickname: 'E' })).toMatch(/Invalid arguments.*nickname/);
    writeFileSync(gate, '');
    expect(await text(held)).toBe('version 1 greets Ann');
    expect(await text(early)).toBe('version 1 greets Bob');
    // Both are idle now, and the arguments fit both.
    const late = await Promise.all(Array.from({ length: 8 }, () => submit({ name: 'Flo' })));
    for (const taskId of late) expect(await text(taskId)).toBe('version 2 greets Flo');
  }, 120_000);

  it('has the newest version take over what the last worker of an older one leaves', async () => {
    const held = await busy();
    const fits = await submit({ name: 'Bob' });
    const misfit = await submit({ name: 'Cid', nickname: 'C' });
    const second = await stack.startWorker(version('v2'));
    await second.waitForLine(/another version of tool greet/);
    await stack.workers[0]?.kill('SIGKILL');
    writeFileSync(gate, '');
    expect(await text(held)).toBe('version 2 greets Ann');
    expect(await text(fits)).toBe('version 2 greets Bob');
    const { content, isError } = await client.result('tasks/result', { taskId: misfit });
    expect(isError).toBe(true);
    expect(JSON.stringify(content)).toMatch(/Invalid arguments for tool 'greet'.*nickname/);
  }, 120_000);
};

describeInMode('two versions of a tool', 'redis', (mode) => tests(mode)());
