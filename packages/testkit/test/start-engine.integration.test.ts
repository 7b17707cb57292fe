import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnProcess, waitFor } from '@longshore/testing';
import { startEngine } from '@longshore/testkit';

const fixture = (name: string): string => path.join(import.meta.dirname, 'fixtures', name);

/** Where engines put their data. */
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'longshore-kit-'));
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const data = (): readonly string[] => readdirSync(directory);

describe('an engine that does not start', () => {
  it('says what is wrong with a plugin, and leaves nothing behind', async () => {
    const starting = startEngine({ plugins: [fixture('broken-plugin.js')], directory });
    await expect(starting).rejects.toThrow(/tool name "two words": use 1 to 128 letters/);
    expect(data()).toEqual([]);
  });

  it('is given up when its signal fires, and leaves nothing behind', async () => {
    const stop = new AbortController();
    const plugins = ['@longshore/plugin-text'];
    const starting = startEngine({ plugins, directory, signal: stop.signal });
    starting.catch(() => {});
    await waitFor(() => data().length === 1, { what: 'it has begun' });
    stop.abort(new Error('no more'));
    await expect(starting).rejects.toThrow('no more');
    expect(data()).toEqual([]);
  });

  it('is refused a plugin that can not be told from two', async () => {
    await expect(startEngine({ plugins: ['a,b'] })).rejects.toThrow('can not have a comma in it');
  });
});

it('an engine ends with the test run that is killed', async () => {
  const run = await spawnProcess(process.execPath, [fixture('holds-engine.js'), directory], {
    ready: /^engine at /,
    readyTimeoutMs: 60_000,
  });
  const url = /engine at (\S+)/.exec(run.logs())?.[1] ?? '';
  expect((await fetch(url, { method: 'DELETE' })).status).toBeGreaterThanOrEqual(400);
  await run.kill('SIGKILL');
  await waitFor(
    () =>
      fetch(url).then(
        () => false,
        () => true,
      ),
    { what: 'the engine has ended' },
  );
});
