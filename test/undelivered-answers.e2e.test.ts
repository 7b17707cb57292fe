import { connect } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@longshore/testing';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { httpRequest } from './support/idle-sockets.ts';
import { openTasks } from './support/open-tasks.ts';
import { FIXTURE_TOOLS, type Stack, startStack } from './support/stack.ts';

const TIMED_TOOLS = path.join(import.meta.dirname, 'fixtures', 'timed-tools.js');

/**
 * Clients that are gone before they know the id of what they started. There is one worker with one seat: while an
 * orphan runs, nobody else's task does.
 */
describe('an answer that reaches nobody', () => {
  let stack: Stack;
  let modern: ModernClient;
  let legacy: WireClient;

  beforeAll(async () => {
    stack = await startStack({
      mode: 'postgres',
      environment: { PLUGINS: `${FIXTURE_TOOLS},${TIMED_TOOLS}`, WORKER_CONCURRENCY: '1' },
    });
    modern = new ModernClient(stack.urls);
    legacy = new WireClient(...stack.urls);
    await legacy.initialize();
    await waitFor(async () => JSON.stringify(await modern.result('tools/list')).includes('late'), {
      what: 'the catalogue is there',
    });
  });
  afterAll(() => stack.stop());

  const legacyCall = (params: object): string =>
    httpRequest(
      'POST',
      {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'Mcp-Session-Id': legacy.sessionId,
        'MCP-Protocol-Version': '2025-11-25',
      },
      { jsonrpc: '2.0', id: legacy.nextId(), method: 'tools/call', params },
    );
  const modernCall = (client: ModernClient, params: Record<string, unknown>): string => {
    const { headers, body } = client.build('tools/call', params);
    return httpRequest('POST', headers, body);
  };

  it.each([
    [
      'task of 2025-11-25 ends with its ttl',
      () => legacyCall({ name: 'hang', arguments: {}, task: { ttl: 2_000 } }),
    ],
    [
      'task of 2026-07-28 ends at its deadline',
      () => modernCall(modern.withTasks(), { name: 'late', arguments: {} }),
    ],
    [
      'call of 2025-11-25, for which its client may come back, ends at its deadline',
      () => legacyCall({ name: 'late', arguments: {} }),
    ],
    [
      'call of 2026-07-28 ends with its connection',
      () => modernCall(modern, { name: 'hang', arguments: {} }),
    ],
  ])('leaves no orphan: a %s', async (_what, request) => {
    const socket = connect(Number(new URL(stack.urls[0] ?? '').port), '127.0.0.1');
    socket.on('error', () => {});
    // Nothing of the answer is ever read.
    socket.pause();
    socket.write(request());
    await waitFor(async () => (await openTasks(stack)) === 1, { what: 'it is accepted' });
    socket.resetAndDestroy();
    await waitFor(async () => (await openTasks(stack)) === 0, { what: 'it has ended' });
    const echo = { name: 'echo', arguments: { text: 'next' } };
    expect(await modern.result('tools/call', echo)).toMatchObject({
      structuredContent: { text: 'next' },
    });
  });
});
