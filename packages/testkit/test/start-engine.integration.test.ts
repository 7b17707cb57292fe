import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { spawnProcess } from '@longshore/testing/processes';
import { startEngine } from '@longshore/testkit';

const fixture = (name: string): string => path.join(import.meta.dirname, 'fixtures', name);

/** Each test starts an engine, on a machine that may have other things to do. */
jest.setTimeout(180_000);

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
    const begun = (): boolean =>
      data().some((name) => existsSync(path.join(directory, name, 'postgres')));
    await waitFor(begun, { what: 'the database is being made' });
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
  const [name = ''] = data();
  const isServing = (): boolean =>
    existsSync(path.join(directory, name, 'postgres', 'pg', 'postmaster.pid'));
  expect(isServing()).toBe(true);
  await run.kill('SIGKILL');
  // The last thing that an engine stops.
  await waitFor(() => !isServing(), { what: 'the engine has ended', timeoutMs: 30_000 });
});
