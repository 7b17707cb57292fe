import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { loadConfig } from '@longshore/config';
import { type BusEvent, CREDENTIALS_TOPIC, silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { openMessaging } from '@longshore/queue';
import { waitFor } from '@longshore/testing';
import { spawnApp } from '@longshore/testing/processes';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import { keysCommand } from '../../src/keys/keys-command.ts';
import { read } from '../program/recorded.ts';

describe('longshore keys', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function run(...args: string[]): Promise<string> {
    const { key } = await read('keys', ...args);
    if (key === null) throw new Error(`not a command: ${args.join(' ')}`);
    const printed: string[] = [];
    const config = loadConfig({ DATABASE_URL: database.url });
    const print = (line: string): void => void printed.push(line);
    expect(await keysCommand(key, { config, print })).toBe(0);
    return printed.join('\n');
  }

  it('shows a key once, and stores its hash', async () => {
    const printed = await run('create', '--name', 'nightly', '--expires', '1h');
    const secret = /^ls_[A-Za-z0-9_-]{43}$/m.exec(printed)?.[0] ?? '';
    const stores = openDatabase({ url: database.url, log: silentLogger });
    const found = await stores.apiKeyStore.findValid(createHash('sha256').update(secret).digest());
    await stores.close();
    expect(found).toMatchObject({ scopes: ['tasks:read', 'tasks:write', 'tools:*'] });
    expect(found?.expiresInMs).toBeLessThanOrEqual(3_600_000);
    const listed = await run('list');
    expect(listed).toContain(secret.slice(0, 8));
    expect(listed).toContain('nightly');
    for (const output of [listed, await run('list', '--json')]) {
      expect(output).not.toContain(secret.slice(0, 12));
    }
  });

  it('keeps the limits of a key, and shows them', async () => {
    const limits = ['--limit', 'queuedTasks=100', '--limit', 'argumentBytes=2048'];
    const created = JSON.parse(await run('create', '--name', 'small', ...limits, '--json')) as {
      key: string;
    };
    const own = { queuedTasks: 100, argumentBytes: 2_048 };
    expect(created).toMatchObject({ limits: own });
    const stores = openDatabase({ url: database.url, log: silentLogger });
    const hash = createHash('sha256').update(created.key).digest();
    expect(await stores.apiKeyStore.findValid(hash)).toMatchObject({ limits: own });
    await stores.close();
    expect(await run('list')).toContain('queuedTasks=100 argumentBytes=2048');
    expect(await run('create', '--name', 'usual')).toMatch(/^limits {5}configured$/m);
  });

  it('makes keys that nobody guesses from others', async () => {
    const created = await Promise.all([1, 2].map(() => run('create', '--name', 'n', '--json')));
    const [first, second] = created.map((text) => (JSON.parse(text) as { key: string }).key);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^ls_[A-Za-z0-9_-]{43}$/);
  });

  it('revokes, and tells every API', async () => {
    const { id } = JSON.parse(await run('create', '--name', 'leaked', '--json')) as { id: string };
    const { bus } = openMessaging({
      redisUrl: null,
      databaseUrl: database.url,
      log: silentLogger,
    });
    await bus.start();
    try {
      const heard: BusEvent[] = [];
      await bus.subscribe(CREDENTIALS_TOPIC, (event) => heard.push(event));
      expect(await run('revoke', id)).toMatch(/\nRevoked\.$/);
      await waitFor(() => heard.length > 0, { what: 'the message' });
      expect(heard).toEqual([
        { kind: 'credential-revoked', authBindingId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      ]);
    } finally {
      await bus.stop();
    }
    const listed = JSON.parse(await run('list', '--json')) as { id: string; status: string }[];
    expect(listed.find((key) => key.id === id)?.status).toBe('revoked');
  });

  it('says that there is no such key', async () => {
    await expect(run('revoke', 'nonsense')).rejects.toMatchObject({ code: 'INVALID_PARAMS' });
  });

  it('says what to do when there is no database', async () => {
    const app = await spawnApp('cli', ['keys', 'list'], {
      env: { DATABASE_URL: undefined, DATA_DIR: '/nonexistent/longshore' },
    });
    expect(await app.exited).toMatchObject({ code: 1 });
    expect(app.logs()).toContain('start longshore first, or set DATABASE_URL');
  });
});
