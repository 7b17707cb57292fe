import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@longshore/config';
import { otherServers, serverAddress } from '../../src/client/server-address.ts';
import {
  differingSettings,
  findEngine,
  publishAddress,
  settingsOf,
  withdrawAddress,
} from '../../src/engine/engine-address.ts';

describe('the address of an engine', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'longshore-engine-'));
  });
  afterEach(() => {
    rmSync(dir, { recursive: true });
  });
  const file = () => path.join(dir, 'engine.json');
  const address = {
    url: 'http://127.0.0.1:1/mcp',
    token: 't'.repeat(43),
    endsByItself: true,
    settings: settingsOf({ PLUGINS: 'a' }),
  };

  it('is found while its process lives, by its owner only', () => {
    publishAddress(dir, address);
    publishAddress(dir, address);
    expect(findEngine(dir)).toMatchObject(address);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    withdrawAddress(dir);
    expect(findEngine(dir)).toBeNull();
  });

  it('is found by the command line from any folder, and asked as its owner', () => {
    const elsewhere = loadConfig({ DATA_DIR: path.join(dir, 'elsewhere'), PORT: '1' });
    publishAddress(path.join(dir, 'a'), address);
    expect(serverAddress({}, elsewhere)).toMatchObject({ url: address.url, token: address.token });
    const named = { url: address.url };
    expect(serverAddress(named, elsewhere)).toMatchObject({ token: address.token });
    expect(serverAddress({ url: 'http://127.0.0.1:9/mcp' }, elsewhere).token).toBeNull();
    expect(serverAddress({ ...named, apiKey: 'mine' }, elsewhere).token).toBe('mine');
    publishAddress(path.join(dir, 'b'), { ...address, url: 'http://127.0.0.1:2/mcp' });
    expect(serverAddress({}, elsewhere).url).toBe(address.url);
    const neither = loadConfig({ DATA_DIR: path.join(dir, 'elsewhere'), PORT: '3' });
    expect(() => serverAddress({}, neither)).toThrow(
      /several servers run here: .*:1\/mcp.*:2\/mcp/,
    );
    expect(otherServers(named, elsewhere)).toMatch(/There also run: http:\/\/127.0.0.1:2\/mcp/);
  });

  it('is not that of a process that has the pid by chance', () => {
    publishAddress(dir, address);
    const published = JSON.parse(readFileSync(file(), 'utf8'));
    writeFileSync(file(), JSON.stringify({ ...published, identity: 'another/1' }));
    expect(findEngine(dir)).toBeNull();
  });

  it('is none when the file is broken', () => {
    writeFileSync(file(), '{"pid":');
    expect(findEngine(dir)).toBeNull();
  });

  it('shows which settings differ and what they are to nobody', () => {
    const one = settingsOf({ PLUGINS: 'secret-name', PORT: '1', OTHER: 'x', REDIS_URL: '' });
    expect(JSON.stringify(one)).not.toContain('secret-name');
    expect(differingSettings(one, settingsOf({ PLUGINS: 'secret-name', PORT: '2' }))).toEqual([]);
    expect(differingSettings(one, settingsOf({ PLUGINS: 'b', WORKERS: '2' }))).toEqual([
      'PLUGINS',
      'WORKERS',
    ]);
  });
});
