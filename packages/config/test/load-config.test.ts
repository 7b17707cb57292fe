import { describe, expect, it } from '@jest/globals';
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
    expect(config.PLUGINS).toEqual(['@longshore/plugin-text', '@longshore/plugin-data']);
  });

  it('takes an empty variable for an unset one', () => {
    expect(loadConfig({ REDIS_URL: '', PORT: '' })).toMatchObject({ REDIS_URL: null, PORT: 3000 });
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
