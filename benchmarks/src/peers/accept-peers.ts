import { silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { ModernClient, WireClient } from '@longshore/testing/mcp';
import { announceNoop, CALL, type Call, legacyCall } from '../accept/noop-call.ts';
import { startChild } from '../child.ts';
import { type LoadResult, loadWithFailures } from '../load.ts';
import { processUsage } from '../process-usage.ts';
import { median, note, report, size } from '../report.ts';
import { startFastMcp } from './fastmcp-docket.ts';
import type { Part } from './part.ts';

const CONNECTIONS = [64, 8].slice(0, size(2, 2, 1));
const ROUNDS = size(3, 3, 1);
/** A slow peer answers 64 at once in a second or two. */
const SECONDS = size(6, 3, 1);

/** Each peer beside our own of the same era. */
const PAIRS = [
  ['longshore-2025', 'sdk-tasks'],
  ['longshore-2026', 'fastmcp-docket'],
] as const;
type Name = (typeof PAIRS)[number][number];

interface Target {
  readonly pid: number;
  readonly url: string;
  readonly call: Call;
  /** A session for each connection, for the ids of requests are those of a session. */
  readonly ofEach: readonly Record<string, string>[];
}

interface Party {
  readonly name: Name;
  readonly use: (run: (target: Target) => Promise<Round>) => Promise<Round>;
}

interface Round extends LoadResult {
  /** Of the server's process, per answer, in microseconds. */
  readonly cpuUs: number;
}

/**
 * Calls that become tasks per second. Nobody runs them here, but for the peers, of which each has its own worker in
 * the process that accepts.
 */
export async function acceptPeers(part: Part): Promise<void> {
  const parties = await startParties(part);
  for (const connections of CONNECTIONS) {
    const rounds = new Map(parties.map(({ name }) => [name, [] as Round[]]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const { name, use } of parties) {
        const measured = await use((target) => measure(target, connections));
        if (round > 0) rounds.get(name)?.push(measured); // round 0 warms up
      }
    }
    note(`peers/accept/${connections}: ${ROUNDS} interleaved rounds of ${SECONDS} s`);
    tell(`peers/accept/${connections}`, rounds);
  }
}

async function startParties(part: Part): Promise<Party[]> {
  const { servers, withPython } = part;
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  part.atEnd(() => database.close());
  const stopAnnouncing = await announceNoop(database);
  part.atEnd(() => Promise.resolve(stopAnnouncing()));
  const api = await part.start(
    startChild('apps/api/dist/main.js', {
      DATABASE_URL: servers.databaseUrl,
      REDIS_URL: servers.redisUrl,
      PORT: '0',
      QUEUE_WINDOW: '1000000',
      // Far away, and kept: what they cost is part of accepting.
      RATE_LIMIT_PER_MINUTE: '1000000000',
      MAX_QUEUED_TASKS: '10000000',
    }),
  );
  const sdk = await part.start(startChild('benchmarks/dist/peers/sdk-tasks-server.js', {}));
  const apiUrl = String(api.ready['url']);
  const sdkUrl = String(sdk.ready['url']);
  const api2025 = { pid: api.pid, ...(await legacy(apiUrl)) };
  const api2026 = { pid: api.pid, ...modern(apiUrl) };
  const sdk2025 = { pid: sdk.pid, ...(await legacy(sdkUrl)) };
  const parties: Party[] = [
    { name: 'longshore-2025', use: (run) => run(api2025) },
    { name: 'sdk-tasks', use: (run) => run(sdk2025) },
    { name: 'longshore-2026', use: (run) => run(api2026) },
  ];
  const fastMcp: Party['use'] = async (run) => {
    const server = await startFastMcp(servers.redisUrl);
    try {
      const target = { pid: server.pid, ...modern(server.url) };
      await run(target); // warms up: it is new each time
      return await run(target);
    } finally {
      await server.stop();
    }
  };
  return withPython ? [...parties, { name: 'fastmcp-docket', use: fastMcp }] : parties;
}

function modern(url: string): Omit<Target, 'pid'> {
  const client = new ModernClient([url]).withTasks();
  return { url, call: client.build('tools/call', CALL), ofEach: [] };
}

async function legacy(url: string): Promise<Omit<Target, 'pid'>> {
  const clients = await Promise.all(
    Array.from({ length: Math.max(...CONNECTIONS) }, () => WireClient.initialized(url)),
  );
  const calls = clients.map(({ sessionId }) => legacyCall(sessionId));
  const [call] = calls;
  if (call === undefined) throw new Error('no session');
  return { url, call, ofEach: calls.map(({ headers }) => headers) };
}

async function measure({ pid, url, call, ofEach }: Target, connections: number): Promise<Round> {
  const before = processUsage(pid);
  const result = await loadWithFailures({
    url,
    connections,
    seconds: SECONDS,
    ofEach,
    expected: '"taskId"',
    ...call,
  });
  const cpuMs = processUsage(pid).cpuMs - before.cpuMs;
  return { ...result, cpuUs: (cpuMs * 1_000) / Math.max(result.answered, 1) };
}

function tell(name: string, rounds: ReadonlyMap<Name, readonly Round[]>): void {
  for (const pair of PAIRS) {
    const [own, peer] = pair.map((party) => rounds.get(party) ?? []);
    for (const party of pair) {
      const of = rounds.get(party) ?? [];
      if (of.length === 0) continue;
      report(`${name}/${party}`, of.map(rate), 'calls/s');
      report(
        `${name}/${party}-cpu`,
        of.map(({ cpuUs }) => cpuUs),
        'us/call',
      );
      const failed = of.reduce((sum, round) => sum + round.failed, 0);
      if (failed > 0) report(`${name}/${party}-failed`, failed, 'calls');
    }
    if (own === undefined || peer === undefined || peer.length === 0) continue;
    report(`${name}/${pair[0]}-to-${pair[1]}`, own.map(rate), 'calls/s', median(peer.map(rate)));
  }
}

/** Of the calls that became tasks. */
const rate = ({ perSecond, answered, failed }: Round): number =>
  perSecond * (1 - failed / Math.max(answered, 1));
