import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type Claim,
  type SessionId,
  sessionTopic,
  silentLogger,
  type WorkerId,
} from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { type Messaging, openMessaging } from '@longshore/queue';
import { WireClient } from '@longshore/testing/mcp';
import { startChild } from '../child.ts';
import { newTask } from '../new-task.ts';
import { openStreams } from '../open-streams.ts';
import { processUsage } from '../process-usage.ts';
import { note, report } from '../report.ts';
import { type Servers, startServers } from '../servers.ts';

const WAITS = Number(process.env['WAITS'] ?? 10_000);
const SESSIONS = [100, 1];
/** Tasks whose waits are opened and ended before anything is measured. */
const WARM_UP = 500;
const CHUNK = 500;
const LEASE_MS = 3_600_000;
const WORKER = randomUUID() as string as WorkerId;
/** The end of a wait's answer, an error like a result. */
const ANSWER = /"id":7[,}]/;
/** Whatever the opening has left to do is done by then. */
const SETTLE_MS = 10_000;
/** As long as the slowest thing that streams do by themselves: they read their rows again. */
const IDLE_MS = 40_000;

/** What is promised for each wait, in KiB of resident memory. */
const PROMISED_KIB = 25;
const PROMISED_CORE_PERCENT = 5;
const PROMISED_ANSWERED_MS = 2_000;

/**
 * Many tasks/result that wait at one API process, in many sessions and in one: what each takes of its memory,
 * what all take of a core while nothing happens, and how long after the last task's end the last one is
 * answered. This process plays the worker: it claims the tasks and ends them, as fast as Postgres takes it.
 */
export async function waits(): Promise<void> {
  for (const sessions of SESSIONS) {
    const servers = await startServers();
    try {
      await measure(servers, sessions);
    } finally {
      await servers.stop();
    }
  }
}

async function measure(servers: Servers, sessions: number): Promise<void> {
  const database = openDatabase({ url: servers.databaseUrl, log: silentLogger });
  const messaging = openMessaging({ ...servers, log: silentLogger });
  await messaging.bus.start();
  const api = await startChild('apps/api/dist/main.js', {
    DATABASE_URL: servers.databaseUrl,
    REDIS_URL: servers.redisUrl,
    PORT: '0',
    LEASE_MS: String(LEASE_MS),
    MAX_OPEN_STREAMS: '10000',
    MAX_SESSIONS: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    LOG_LEVEL: 'silent',
  });
  const url = String(api.ready['url']);
  const name = `waits/${sessions}-session${sessions === 1 ? '' : 's'}`;
  try {
    const opened = await Promise.all(
      Array.from({ length: sessions }, () => WireClient.initialized(url)),
    );
    const warmUp = await openRound(database, url, opened, WARM_UP);
    await endAll(database, messaging, warmUp.tasks);
    await warmUp.waits.answered;
    warmUp.waits.close();
    const before = processUsage(api.pid);
    const round = await openRound(database, url, opened, WAITS);
    await delay(SETTLE_MS);
    const idle = processUsage(api.pid);
    await delay(IDLE_MS);
    const after = processUsage(api.pid);
    note(`${WAITS} waits in ${sessions} session(s) at one API process`);
    const kibEach = ((after.rssMiB - before.rssMiB) * 1_024) / WAITS;
    report(`${name}/memory`, kibEach, 'KiB each', PROMISED_KIB);
    const percent = ((after.cpuMs - idle.cpuMs) * 100) / IDLE_MS;
    report(`${name}/idle`, percent, '% of a core', PROMISED_CORE_PERCENT);
    const startedAt = performance.now();
    await endAll(database, messaging, round.tasks);
    const endedAt = performance.now();
    await round.waits.answered;
    const ended = processUsage(api.pid);
    report(`${name}/ended`, endedAt - startedAt, 'ms');
    const answeredMs = performance.now() - endedAt;
    report(`${name}/answered-after`, answeredMs, 'ms', PROMISED_ANSWERED_MS);
    report(`${name}/answer-cpu`, ((ended.cpuMs - after.cpuMs) * 1_000) / WAITS, 'us each');
    round.waits.close();
  } finally {
    await api.stop();
    await messaging.bus.stop();
    await database.close();
  }
}

interface RunningTask {
  readonly session: WireClient;
  readonly taskId: Claim['taskId'];
}

/** Tasks that run, a worker has claimed them, and a wait for each. */
async function openRound(
  database: Database,
  url: string,
  sessions: readonly WireClient[],
  count: number,
) {
  const tasks: RunningTask[] = [];
  const owners = await Promise.all(
    sessions.map(async (session) => {
      const sessionId = session.sessionId as SessionId;
      const row = await database.sessionStore.find(sessionId, null);
      if (row === null) throw new Error('the session has no row');
      return { session, sessionId, row };
    }),
  );
  while (tasks.length < count) {
    const chunk = Array.from({ length: Math.min(CHUNK, count - tasks.length) }, (_, index) => {
      const owner = owners[(tasks.length + index) % owners.length];
      if (owner === undefined) throw new Error('no session');
      const { session, sessionId, row } = owner;
      return { session, task: { ...newTask(row, 'waiting', {}), sessionId } };
    });
    await Promise.all(chunk.map(({ task }) => database.taskStore.accept(task)));
    await Promise.all(
      chunk.map(({ task }) => database.attemptStore.claim(task.id, WORKER, LEASE_MS)),
    );
    tasks.push(...chunk.map(({ session, task }) => ({ session, taskId: task.id })));
  }
  return { tasks, waits: await openWaits(url, tasks) };
}

/** Requests that wait for the results of tasks. */
interface Waits {
  /** Resolves when all have their answers. */
  readonly answered: Promise<void>;
  readonly close: () => void;
}

/** Asks for the result of each task. Resolves when all streams are open. */
async function openWaits(url: string, tasks: readonly RunningTask[]): Promise<Waits> {
  const waiting = new Set(tasks.keys());
  let settle: { resolve: () => void; reject: (error: Error) => void } | null = null;
  const answered = new Promise<void>((resolve, reject) => {
    settle = { resolve, reject };
  });
  // Whoever awaits it comes later, and may never come.
  answered.catch(() => {});
  const requests = tasks.map(({ session, taskId }) => ({
    session,
    message: { jsonrpc: '2.0', id: 7, method: 'tasks/result', params: { taskId } },
  }));
  const close = await openStreams(url, requests, {
    line: (line, position) => {
      if (!waiting.has(position) || !ANSWER.test(line)) return;
      waiting.delete(position);
      if (waiting.size === 0) settle?.resolve();
    },
    lost: (error, position) => {
      if (waiting.has(position)) settle?.reject(error);
    },
  });
  return { answered, close };
}

/** Ends the tasks and says so, as workers do. */
async function endAll(
  database: Database,
  { bus }: Messaging,
  tasks: readonly RunningTask[],
): Promise<void> {
  for (let ended = 0; ended < tasks.length; ended += CHUNK) {
    await Promise.all(
      tasks.slice(ended, ended + CHUNK).map(async ({ session, taskId }) => {
        const isMine = await database.attemptStore.finish({
          taskId,
          attempt: 1,
          workerId: WORKER,
          outcome: { kind: 'result', isError: false, result: { content: [] } },
          progress: null,
          toolVersion: null,
          statusMessage: null,
        });
        if (!isMine) throw new Error('a task was not ours to end');
        const topic = sessionTopic(session.sessionId as SessionId);
        await bus.publish(topic, { kind: 'changed', taskId });
      }),
    );
  }
}
