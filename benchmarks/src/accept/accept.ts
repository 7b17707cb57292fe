import { randomUUID } from 'node:crypto';
import { silentLogger, type WorkerId } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { WireClient } from '@longshore/testing/mcp';
import { type Child, startChild } from '../child.ts';
import { type LoadResult, load } from '../load.ts';
import { processUsage } from '../process-usage.ts';
import { median, note, report } from '../report.ts';
import { startServers } from '../servers.ts';

const CONNECTIONS = [1, 8, 64];
const ROUNDS = 3;
const SECONDS = 4;
const PARTIES = ['echo', 'bare', 'longshore'] as const;
type Party = (typeof PARTIES)[number];

interface Round extends LoadResult {
  /** Of the server process, per answered request, in microseconds. */
  readonly cpuUs: number;
  readonly rssMiB: number;
}

/**
 * Task-augmented tools/call per second, committed and enqueued, at 1, 8 and 64 connections; beside an
 * Express JSON echo and a bare grouped INSERT + addBulk, in interleaved rounds.
 */
export async function accept(): Promise<void> {
  const servers = await startServers();
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    QUEUE_WINDOW: '1000000',
    // Far away, and kept: what they cost is part of accepting.
    RATE_LIMIT_PER_MINUTE: '1000000000',
    MAX_QUEUED_TASKS: '10000000',
  };
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  const worker = randomUUID() as string as WorkerId;
  await database.catalogueStore.announce(noopCatalogue(worker));
  const beat = setInterval(() => void database.catalogueStore.beat(worker), 5_000);
  const children: Record<Party, Child> = {
    echo: await startChild('benchmarks/dist/accept/echo-server.js', environment),
    bare: await startChild('benchmarks/dist/accept/bare-server.js', environment),
    longshore: await startChild('apps/api/dist/main.js', environment),
  };
  try {
    const { sessionId: session } = await WireClient.initialized(urlOf(children.longshore));
    for (const connections of CONNECTIONS) {
      const rounds: Record<Party, Round[]> = { echo: [], bare: [], longshore: [] };
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const party of PARTIES) {
          const measured = await measure(children[party], session, connections);
          if (round > 0) rounds[party].push(measured); // round 0 warms up
        }
      }
      tell(connections, rounds);
    }
  } finally {
    clearInterval(beat);
    await Promise.all(Object.values(children).map((child) => child.stop()));
    await database.close();
    await servers.stop();
  }
}

async function measure(child: Child, session: string, connections: number): Promise<Round> {
  const before = processUsage(child.pid);
  const result = await load({
    url: urlOf(child),
    connections,
    seconds: SECONDS,
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-session-id': session,
      'mcp-protocol-version': '2025-11-25',
    },
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'noop', arguments: { text: 'x'.repeat(64), n: 5 }, task: { ttl: 600_000 } },
    },
  });
  const after = processUsage(child.pid);
  return {
    ...result,
    cpuUs: ((after.cpuMs - before.cpuMs) * 1_000) / result.answered,
    rssMiB: after.rssMiB,
  };
}

function tell(connections: number, rounds: Record<Party, readonly Round[]>): void {
  const mid = (party: Party, of: (round: Round) => number): number => median(rounds[party].map(of));
  const rate = (party: Party): number => mid(party, (round) => round.perSecond);
  const cpu = (party: Party): number => mid(party, (round) => round.cpuUs);
  note(`at ${connections} connections, medians of ${ROUNDS} interleaved rounds of ${SECONDS} s`);
  report(`accept/${connections}/echo`, rate('echo'), 'calls/s');
  report(`accept/${connections}/bare`, rate('bare'), 'calls/s', rate('echo'));
  report(`accept/${connections}/longshore`, rate('longshore'), 'calls/s', rate('echo'));
  report(`accept/${connections}/longshore-to-bare`, rate('longshore'), 'calls/s', rate('bare'));
  report(`accept/${connections}/longshore-cpu`, cpu('longshore'), 'us/call', cpu('echo'));
  report(`accept/${connections}/bare-cpu`, cpu('bare'), 'us/call', cpu('echo'));
  report(
    `accept/${connections}/longshore-p99`,
    mid('longshore', (round) => round.p99Ms),
    'ms',
    mid('echo', (round) => round.p99Ms),
  );
  report(
    `accept/${connections}/longshore-rss`,
    mid('longshore', (round) => round.rssMiB),
    'MiB',
  );
}

function urlOf(child: Child): string {
  return String(child.ready['url']);
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
        fingerprint: 'noop',
        plugin: 'bench',
        pluginVersion: '0',
      },
    ],
  };
}
