import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
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
  afterEach(() => rmSync(dir, { recursive: true }));
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
