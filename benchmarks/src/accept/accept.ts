import { silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { type Child, startChild } from '../child.ts';
import { type LoadResult, load } from '../load.ts';
import { processUsage } from '../process-usage.ts';
import { IS_GUARD, median, note, report, size } from '../report.ts';
import { type Servers, startServers } from '../servers.ts';
import { announceNoop, CALL, type Call, legacyCall } from './noop-call.ts';

const CONNECTIONS = [64, 8, 1].slice(0, size(3, 3, 1));
const ROUNDS = size(3, 3, IS_GUARD ? 3 : 1);
const SECONDS = size(4, 1, 1);
const ERAS = ['longshore-2025', 'longshore-2026'] as const;
const PARTIES = ['echo', 'bare', ...ERAS] as const;
type Party = (typeof PARTIES)[number];

interface Round extends LoadResult {
  /** Of the server process, per answered request, in microseconds. */
  readonly cpuUs: number;
  readonly rssMiB: number;
  /** Of the servers, per answered request, in microseconds. */
  readonly postgresUs: number;
  readonly redisUs: number;
}

/**
 * Calls that become tasks per second, committed and enqueued, in both eras, at 1, 8 and 64 connections; beside an
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
  const stopAnnouncing = await announceNoop(database);
  const api = await startChild('apps/api/dist/main.js', environment);
  const children: Record<Party, Child> = {
    echo: await startChild('benchmarks/dist/accept/echo-server.js', environment),
    bare: await startChild('benchmarks/dist/accept/bare-server.js', environment),
    'longshore-2025': api,
    'longshore-2026': api,
  };
  try {
    const { sessionId } = await WireClient.initialized(urlOf(api));
    const modern = new ModernClient([urlOf(api)]).withTasks();
    const legacy = legacyCall(sessionId);
    const calls: Record<Party, Call> = {
      echo: legacy,
      bare: legacy,
      'longshore-2025': legacy,
      'longshore-2026': modern.build('tools/call', CALL),
    };
    // An answer that is no task would be counted like one that is.
    await modern.startTask(CALL.name, CALL.arguments);
    for (const connections of CONNECTIONS) {
      const rounds: Record<Party, Round[]> = {
        echo: [],
        bare: [],
        'longshore-2025': [],
        'longshore-2026': [],
      };
      for (let round = 0; round <= ROUNDS; round += 1) {
        for (const party of PARTIES) {
          const measured = await measure(servers, children[party], calls[party], connections);
          if (round > 0) rounds[party].push(measured); // round 0 warms up
        }
      }
      tell(connections, rounds);
    }
  } finally {
    stopAnnouncing();
    await Promise.all([children.echo, children.bare, api].map((child) => child.stop()));
    await database.close();
    await servers.stop();
  }
}

async function measure(
  servers: Servers,
  child: Child,
  call: Call,
  connections: number,
): Promise<Round> {
  const before = { child: processUsage(child.pid), ...servers.usage() };
  const result = await load({ url: urlOf(child), connections, seconds: SECONDS, ...call });
  const after = { child: processUsage(child.pid), ...servers.usage() };
  const us = (of: keyof typeof before): number =>
    ((after[of].cpuMs - before[of].cpuMs) * 1_000) / result.answered;
  return {
    ...result,
    cpuUs: us('child'),
    rssMiB: after.child.rssMiB,
    postgresUs: us('postgres'),
    redisUs: us('redis'),
  };
}

function tell(connections: number, rounds: Record<Party, readonly Round[]>): void {
  const each = (party: Party, of: keyof Round): number[] => rounds[party].map((round) => round[of]);
  const mid = (party: Party, of: keyof Round): number => median(each(party, of));
  const name = `accept/${connections}`;
  note(`at ${connections} connections, medians of ${ROUNDS} interleaved rounds of ${SECONDS} s`);
  report(`${name}/echo`, each('echo', 'perSecond'), 'calls/s');
  report(`${name}/bare`, each('bare', 'perSecond'), 'calls/s', mid('echo', 'perSecond'));
  report(`${name}/bare-cpu`, each('bare', 'cpuUs'), 'us/call', mid('echo', 'cpuUs'));
  for (const era of ERAS) {
    const rates = each(era, 'perSecond');
    report(`${name}/${era}`, rates, 'calls/s', mid('echo', 'perSecond'));
    report(`${name}/${era}-to-bare`, rates, 'calls/s', mid('bare', 'perSecond'));
    report(`${name}/${era}-cpu`, each(era, 'cpuUs'), 'us/call', mid('echo', 'cpuUs'));
    report(
      `${name}/${era}-postgres-cpu`,
      each(era, 'postgresUs'),
      'us/task',
      mid('bare', 'postgresUs'),
    );
    report(`${name}/${era}-redis-cpu`, each(era, 'redisUs'), 'us/task', mid('bare', 'redisUs'));
    report(`${name}/${era}-p99`, each(era, 'p99Ms'), 'ms', mid('echo', 'p99Ms'));
    report(`${name}/${era}-rss`, each(era, 'rssMiB'), 'MiB');
  }
}

function urlOf(child: Child): string {
  return String(child.ready['url']);
}
