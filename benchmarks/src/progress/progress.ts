import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WireClient } from '@longshore/testing/mcp';
import { startChild } from '../child.ts';
import { startTask } from '../new-task.ts';
import { openStreams, type StreamRequest } from '../open-streams.ts';
import { note, percentile, report, size } from '../report.ts';
import { type Servers, startServers } from '../servers.ts';

const ROUNDS = size(3, 3, 1);
const SECONDS = size(20, 5, 0.5);
const MANY = 1_000;
const AT_ONCE = 20;
/** What is promised for the slowest of a hundred. */
const PROMISED_MS = 10;
/** As reporting-plugin.ts writes it. */
const REPORTED_AT = /"message":"at (\d+);"/;

interface Setting {
  /** As in `progress/1/longshore-p99`. */
  readonly name: string;
  /** `session`: a session's GET stream, with the progress of its tasks; `call`: a held call. */
  readonly kind: 'session' | 'call';
  readonly streams: number;
  /** Tools that run for each stream. A task's progress is told ten times a second at most. */
  readonly tools: number;
  /** Of each tool. */
  readonly everyMs: number;
}

const ALL: readonly Setting[] = [
  { name: '1', kind: 'session', streams: 1, tools: 20, everyMs: 200 },
  { name: `${MANY}`, kind: 'session', streams: MANY, tools: 1, everyMs: MANY * 10 },
  { name: `${MANY}-busy`, kind: 'session', streams: MANY, tools: 1, everyMs: 1_000 },
  { name: `${MANY}-calls-busy`, kind: 'call', streams: MANY, tools: 1, everyMs: 1_000 },
];
const SETTINGS = ALL.slice(0, size(ALL.length, ALL.length, 1));

/**
 * Milliseconds from a tool's report of progress until the client has the event: with one stream and a thousand that
 * get a hundred in all a second, and with a thousand that get one a second each, as sessions and as held calls.
 */
export async function progress(): Promise<void> {
  for (const setting of SETTINGS) {
    // The tools of one run would go on in the next one.
    const servers = await startServers();
    try {
      await measure(servers, setting);
    } finally {
      await servers.stop();
    }
  }
}

async function measure(servers: Servers, setting: Setting): Promise<void> {
  const { name, streams, tools, everyMs } = setting;
  const environment = {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    PLUGINS: path.join(import.meta.dirname, 'reporting-plugin.js'),
    BUNDLED_PLUGINS: 'false',
    WORKER_CONCURRENCY: '1000',
    MAX_SESSIONS: '0',
    MAX_OPEN_STREAMS: '10000',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  };
  const worker = await startChild('apps/worker/dist/main.js', environment);
  const api = await startChild('apps/api/dist/main.js', environment);
  const url = String(api.ready['url']);
  let close: (() => void) | null = null;
  try {
    const sessions: WireClient[] = [];
    await severalAtOnce(Array.from({ length: streams }), async () => {
      sessions.push(await WireClient.initialized(url));
    });
    let times: number[] = [];
    let failure: Error | null = null;
    const seen = new Set<number>();
    close = await openStreams(url, requests(setting, sessions), {
      line: (line, position) => {
        const reportedAt = REPORTED_AT.exec(line)?.[1];
        if (reportedAt === undefined) return;
        times.push(Number(process.hrtime.bigint() - BigInt(reportedAt)) / 1e6);
        seen.add(position);
      },
      lost: (error) => {
        failure = error;
      },
    });
    for (let tool = 0; setting.kind === 'session' && tool < tools; tool += 1) {
      await severalAtOnce(sessions, async (session, position) => {
        const progressToken = tool * streams + position;
        await startTask(session, 'reporting', { everyMs }, { progressToken });
      });
    }
    while (seen.size < streams && failure === null) await delay(20);
    const rounds: number[][] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      times = [];
      await delay(SECONDS * 1_000);
      if (failure !== null) throw failure;
      if (round > 0) rounds.push(times); // round 0 warms up
    }
    const perSecond = rounds.flat().length / (ROUNDS * SECONDS);
    const wanted = (streams * tools * 1_000) / everyMs;
    note(
      `progress/${name}: ${streams} streams, ${perSecond.toFixed()} of ${wanted} reports a second`,
    );
    const each = (share: number): number[] => rounds.map((round) => percentile(round, share));
    report(`progress/${name}/longshore-p50`, each(0.5), 'ms');
    report(`progress/${name}/longshore-p99`, each(0.99), 'ms', PROMISED_MS);
  } finally {
    close?.();
    await Promise.all([worker, api].map((child) => child.stop()));
  }
}

function requests(
  { kind, everyMs }: Setting,
  sessions: readonly WireClient[],
): readonly StreamRequest[] {
  const params = { name: 'reporting', arguments: { everyMs }, _meta: { progressToken: 1 } };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  return sessions.map((session) => ({ session, message: kind === 'call' ? call : null }));
}

/** Some at once, so that getting ready does not take longer than what is measured. */
async function severalAtOnce<T>(
  all: readonly T[],
  act: (one: T, position: number) => Promise<void>,
): Promise<void> {
  const left = all.entries();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const [position, one] of left) await act(one, position);
    }),
  );
}
