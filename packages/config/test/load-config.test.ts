import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ConfigError } from '../src/config-error.ts';
import { loadConfig } from '../src/load-config.ts';

const problemsOf = (environment: Record<string, string>): readonly string[] => {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
};

describe('loadConfig', () => {
  it('has a default for everything', () => {
    const config = loadConfig({});
    expect(config.HOST).toBe('127.0.0.1');
    expect(config.PORT).toBe(3000);
    expect(config.DATABASE_URL).toBeNull();
    expect(config.WORKER_QUEUES).toBeNull();
    expect(config.PLUGINS).toBeNull();
    expect(config.BUNDLED_PLUGINS).toBe(true);
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ REDIS_URL: '', PORT: '' })).toMatchObject({ REDIS_URL: null, PORT: 3000 });
  });

  describe('of a secret in a file', () => {
    let directory: string;
    const fileWith = (text: string): string => {
      const file = path.join(directory, 'secret');
      writeFileSync(file, text);
      return file;
    };
    beforeEach(() => {
      directory = mkdtempSync(path.join(tmpdir(), 'longshore-config-'));
    });
    afterEach(() => {
      rmSync(directory, { recursive: true });
    });

    it.each(['DATABASE_URL', 'REDIS_URL', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'] as const)(
      'reads %s, without the end of its line',
      (name) => {
        const value = name === 'REDIS_URL' ? 'redis://:pw@host' : 'postgresql://a:pw@host/b';
        expect(loadConfig({ [`${name}_FILE`]: fileWith(`${value}\n`) })[name]).toBe(value);
      },
    );

    it('takes the variable itself when both are set', () => {
      const file = fileWith('postgresql://file/b');
      const url = 'postgresql://variable/b';
      const both = { DATABASE_URL: url, DATABASE_URL_FILE: file };
      expect(loadConfig(both).DATABASE_URL).toBe(url);
    });

    it('names a file that can not be read, and shows nothing of one with something else', () => {
      const none = path.join(directory, 'none');
      expect(problemsOf({ DATABASE_URL_FILE: none, REDIS_URL_FILE: fileWith('hunter2') })).toEqual([
        `DATABASE_URL_FILE: ${none} can not be read (ENOENT)`,
        'REDIS_URL: must be a redis:// or rediss:// URL',
      ]);
    });

    it('takes an empty file for a mistake, not for an unset variable', () => {
      expect(problemsOf({ DATABASE_URL_FILE: fileWith('\n') })).toEqual([
        'DATABASE_URL: must be a postgresql:// URL',
      ]);
    });
  });

  it('names every wrong variable at once', () => {
    const problems = problemsOf({
      PORT: 'http',
      DATABASE_URL: 'mysql://x',
      LEASE_MS: '-1',
      LOG_LEVEL: 'loud',
    });
    expect(problems.map((problem) => problem.split(':')[0]).sort()).toEqual([
      'DATABASE_URL',
      'LEASE_MS',
      'LOG_LEVEL',
      'PORT',
    ]);
  });

  it('shows no secret of a malformed URL', () => {
    expect(problemsOf({ DATABASE_URL: 'mysql://user:hunter2@host/db' }).join()).not.toContain(
      'hunter2',
    );
  });

  it('serves beyond loopback without authentication only when told that the port is not reachable', () => {
    expect(problemsOf({ HOST: '0.0.0.0' })).toEqual([
      expect.stringContaining('AUTH=none serves loopback only'),
    ]);
    expect(problemsOf({ HOST: '0.0.0.0', PUBLISHED_ON_LOOPBACK: 'true' })).toEqual([]);
    expect(problemsOf({ HOST: '0.0.0.0', AUTH: 'api-key' })).toEqual([]);
    for (const host of ['localhost', '127.0.0.1', '127.8.0.1', '::1'])
      expect(problemsOf({ HOST: host })).toEqual([]);
  });

  it('refuses a default ttl over the maximum', () => {
    expect(problemsOf({ DEFAULT_TTL_MS: '2000', MAX_TTL_MS: '1999' })).toEqual([
      expect.stringContaining('DEFAULT_TTL_MS'),
    ]);
    expect(problemsOf({ DEFAULT_TTL_MS: '2000', MAX_TTL_MS: '2000' })).toEqual([]);
  });

  it('knows what AUTH=oauth needs', () => {
    const names = (environment: Record<string, string>) =>
      problemsOf({ AUTH: 'oauth', ...environment }).map((problem) => problem.split(':')[0]);
    expect(names({}).sort()).toEqual(['OAUTH_ISSUER', 'PUBLIC_URL']);
    const good = { OAUTH_ISSUER: 'https://a.test/realm', PUBLIC_URL: 'https://b.test' };
    expect(names(good)).toEqual([]);
    expect(names({ ...good, PUBLIC_URL: 'https://b.test:8443/' })).toEqual([]);
    for (const url of ['https://b.test/x', 'https://b.test/?x', 'ftp://b.test', 'https://u@b.test'])
      expect(names({ ...good, PUBLIC_URL: url })).toEqual(['PUBLIC_URL']);
    expect(names({ ...good, OAUTH_ISSUER: 'http://a.test' })).toEqual(['OAUTH_ISSUER']);
    for (const host of ['localhost', '127.0.0.1:9', '[::1]:9'])
      expect(names({ ...good, OAUTH_ISSUER: `http://${host}` })).toEqual([]);
  });
});
