import { randomUUID } from 'node:crypto';
import type { WorkerId } from '@longshore/core';
import type { Database } from '@longshore/database';

/** What is accepted: a call of a tool that nobody runs. */
export const CALL = { name: 'noop', arguments: { text: 'x'.repeat(64), n: 5 } };

/** A request as it is sent again and again. */
export interface Call {
  readonly headers: Record<string, string>;
  readonly body: object;
}

export const legacyCall = (sessionId: string): Call => ({
  headers: {
    accept: 'application/json, text/event-stream',
    'mcp-session-id': sessionId,
    'mcp-protocol-version': '2025-11-25',
  },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { ...CALL, task: { ttl: 600_000 } },
  },
});

/** Says as a worker would that there is this tool, and goes on saying it. @returns what ends that */
export async function announceNoop({ catalogueStore }: Database): Promise<() => void> {
  const worker = randomUUID() as string as WorkerId;
  await catalogueStore.announce(noopCatalogue(worker));
  const beat = setInterval(() => void catalogueStore.beat(worker), 5_000);
  return () => clearInterval(beat);
}

function noopCatalogue(id: WorkerId) {
  return {
    id,
    host: 'bench',
    pid: process.pid,
    version: '0',
    queues: ['default'],
    concurrency: 1,
    leaseMs: 20_000,
    prompts: [],
    resources: [],
    cards: [],
    tools: [
      {
        name: 'noop',
        title: null,
        description: 'Does nothing.',
        inputSchema: {
          type: 'object',
          properties: { text: { type: 'string' }, n: { type: 'integer' } },
          required: ['text'],
        },
        outputSchema: null,
        annotations: null,
        taskSupport: 'optional' as const,
        asksFirst: false,
        requires: [],
        immediateResponse: null,
        policy: {
          queue: 'default',
          timeoutMs: 60_000,
          maxAttempts: 1,
          backoff: { baseMs: 1_000, factor: 2, maxMs: 60_000 },
          deadlineMs: null,
          concurrency: null,
          rate: null,
        },
        version: null,
        deprecated: null,
        cost: null,
        card: null,
        fingerprint: 'noop',
        plugin: 'bench',
        pluginVersion: '0',
      },
    ],
  };
}
