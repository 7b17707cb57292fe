import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type AnnouncedTool, silentLogger, type WorkerId } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { createTestDatabase, type TestDatabase } from '@longshore/testing/servers';
import { doctorCommand } from '../../src/doctor/doctor-command.ts';

let server: TestDatabase;
let database: Database;

beforeAll(async () => {
  server = await createTestDatabase();
  database = openDatabase({ url: server.url, log: silentLogger, poolSize: 1 });
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const tool = (name: string, plugin: string, fingerprint: string): AnnouncedTool => ({
  name,
  title: null,
  description: `Does ${name}.`,
  inputSchema: { type: 'object' },
  outputSchema: null,
  annotations: null,
  taskSupport: 'optional',
  asksFirst: false,
  requires: [],
  immediateResponse: null,
  policy: {
    queue: 'default',
    timeoutMs: 1_000,
    maxAttempts: 1,
    backoff: { baseMs: 100, factor: 2, maxMs: 1_000 },
    deadlineMs: null,
    concurrency: null,
    rate: null,
  },
  version: null,
  deprecated: null,
  cost: null,
  card: null,
  fingerprint,
  plugin,
  pluginVersion: '1.0.0',
});

const announce = (...tools: AnnouncedTool[]) =>
  database.catalogueStore.announce({
    id: randomUUID() as WorkerId,
    host: 'here',
    pid: 1,
    version: '0',
    queues: ['default'],
    concurrency: 1,
    leaseMs: 20_000,
    tools,
    prompts: [],
    resources: [],
    cards: [],
  });

async function findings() {
  let text = '';
  const code = await doctorCommand({
    env: { DATABASE_URL: server.url, PORT: '0' },
    nodeVersion: process.versions.node,
    isJson: true,
    print: (printed) => {
      text = printed;
    },
  });
  const found: { check: string; verdict: string; found: string; fix?: string }[] = JSON.parse(text);
  return { code, tools: found.filter(({ check }) => check === 'tools') };
}

it('tells an upgrade that is under way from two plugins with one tool', async () => {
  await announce(tool('a', 'mine', '1'), tool('b', 'mine', '1'));
  expect((await findings()).tools).toEqual([
    { check: 'tools', verdict: 'ok', found: 'the workers agree on them' },
  ]);
  await announce(tool('a', 'mine', '2'), tool('b', 'yours', '1'));
  const { code, tools } = await findings();
  expect(tools).toEqual([
    {
      check: 'tools',
      verdict: 'ok',
      found: expect.stringMatching(/^'a' has several versions at once/),
    },
    {
      check: 'tools',
      verdict: 'warning',
      found: "'b' is a tool of 2 plugins (mine 1.0.0, yours 1.0.0), and clients see one of them",
      fix: expect.stringMatching(/^rename one of them/),
    },
  ]);
  expect(code).toBe(0);
});
