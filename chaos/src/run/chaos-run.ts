import { setMaxListeners } from 'node:events';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from '../check/check.ts';
import type { Evidence, Usage, Violation } from '../check/evidence.ts';
import { checkRedisKeys, isBack } from '../check/leak-checks.ts';
import type { ClientCounts } from '../clients/client.ts';
import { type FaultKind, type PlannedFault, planFaults } from '../plan/fault-plan.ts';
import { type PlannedTask, planTasks, type TaskKind } from '../plan/task-plan.ts';
import { type ChaosSystem, startSystem } from '../system/chaos-system.ts';
import { openClients } from './chaos-clients.ts';
import { type DatabaseReader, readDatabase } from './database-evidence.ts';
import { runFaults } from './fault-run.ts';
import { type LoadRecords, runLoad } from './load-run.ts';
import { cancelUnknown, lookAgain } from './look-again.ts';
import { readEffects, readRedisKeys, readUsage } from './usage.ts';

export interface ChaosOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** Tasks a second. */
  readonly rate: number;
  /** Average pause between two faults, in milliseconds. */
  readonly faultEveryMs: number;
  /** Folder for the logs of the processes; emptied first. */
  readonly logDirectory: string;
  /** Told what is going on, for people. */
  readonly say: (text: string) => void;
}

export interface ChaosPlan {
  readonly tasks: readonly PlannedTask[];
  readonly faults: readonly PlannedFault[];
}

export interface ChaosReport {
  readonly violations: readonly Violation[];
  readonly summary: Readonly<Record<string, unknown>>;
}

const APIS = 2;
const WORKERS = 3;
const PRINCIPALS = 3;
const CLIENTS = 150;

/** For the last answers, once everything is well: questions come again after 25 s, jobs after some 15 s. */
const SETTLE_MS = 90_000;

/** For connections to be closed that nobody needs any more: pools keep them for 30 s. */
const COME_BACK_MS = 60_000;

const POLL_MS = 500;

/** Tasks that have all processes load and connect what they need, before their usage is looked at. */
const WARM_UP = { durationMs: 4_000, rate: 40, firstIndex: 1_000_000 };
const WARM_UP_KINDS: readonly TaskKind[] = ['short', 'retrying', 'threaded'];

/** Everything that is decided before the run, by the seed alone. */
export function planChaos({ seed, durationMs, rate, faultEveryMs }: ChaosOptions): ChaosPlan {
  return {
    tasks: planTasks({ seed, durationMs, rate, principals: PRINCIPALS }),
    faults: planFaults({
      seed,
      durationMs,
      everyMs: faultEveryMs,
      apis: APIS,
      workers: WORKERS,
    }),
  };
}

/** Runs the system through a planned load and planned faults, and checks what is left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { logDirectory, say } = options;
  const plan = planChaos(options);
  rmSync(logDirectory, { recursive: true, force: true });
  mkdirSync(logDirectory, { recursive: true });
  say(`seed ${options.seed}: ${plan.tasks.length} tasks, ${plan.faults.length} faults; starting`);
  const system = await startSystem({
    apis: APIS,
    workers: WORKERS,
    principals: PRINCIPALS,
    logDirectory,
  });
  let result: RunResult;
  let late: readonly string[] = [];
  try {
    result = await run(options, plan, system);
  } finally {
    late = await system.stop();
  }
  const evidence: Evidence = {
    ...result.evidence,
    misbehaved: [
      ...result.evidence.misbehaved,
      ...late.map((name) => `${name} did not stop when it was told to`),
    ],
  };
  const violations = check(evidence);
  return { violations, summary: summaryOf(options, result, evidence, violations) };
}

interface RunResult {
  readonly evidence: Evidence;
  readonly records: LoadRecords;
  readonly counts: ClientCounts;
  readonly faults: ReadonlyMap<FaultKind, number>;
  readonly settleMs: number;
}

/** A signal that fires when no more answers are waited for, with one listener for each request under way. */
function endOfWaiting(): AbortController {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  return over;
}

async function run(
  options: ChaosOptions,
  plan: ChaosPlan,
  system: ChaosSystem,
): Promise<RunResult> {
  const { say } = options;
  const over = endOfWaiting();
  const loadClients = await openClients(system, over.signal);
  const { ledger } = system;
  const load = { apiOf: loadClients.apiOf, ledger, clients: CLIENTS, signal: over.signal };

  const warmUp = await runLoad({
    ...load,
    plan: planTasks({ seed: options.seed, principals: PRINCIPALS, ...WARM_UP }).filter(({ kind }) =>
      WARM_UP_KINDS.includes(kind),
    ),
  });
  const before = await withReader(system, (reader) => readUsage(system, reader));

  say('the load begins');
  const faults = new Map<FaultKind, number>();
  const loaded = runLoad({ ...load, plan: plan.tasks });
  // Looked at below, should the faults end first.
  loaded.catch(() => {});
  await runFaults(plan.faults, system, (fault) => {
    faults.set(fault.kind, (faults.get(fault.kind) ?? 0) + 1);
    say(JSON.stringify(fault));
  });
  say('the faults are over');
  const giveUp = setTimeout(
    () => over.abort(),
    Math.max(0, options.durationMs - lastOf(plan.faults)) + SETTLE_MS,
  );
  const records = await loaded;
  records.tasks.push(...warmUp.tasks);
  clearTimeout(giveUp);
  say('the load is over');

  return withReader(system, async (reader) => {
    const settlingAt = performance.now();
    const clients = await openClients(system, endOfWaiting().signal);
    await cancelUnknown(clients, records);
    await settle(system, reader, say);
    const settleMs = Math.round(performance.now() - settlingAt);
    const { rows, events, orphans } = await reader.read();
    say('looking at everything again');
    const { tasks, looks } = await lookAgain(clients, records, rows, CLIENTS / 5);
    const after = await backToNormal(system, reader, before);
    const misbehaved = [...system.apps].flatMap(([name, { crashes }]) =>
      crashes === 0 ? [] : [`${name} ended ${crashes} times by itself`],
    );
    const evidence: Evidence = {
      tasks,
      held: records.held,
      refused: records.refused,
      rows,
      events,
      orphans,
      effects: readEffects(ledger),
      redisKeys: await readRedisKeys(system),
      before,
      after,
      looks,
      misbehaved: [...misbehaved, ...neverAccepted(records), ...records.errors],
    };
    return { evidence, records, counts: loadClients.counts, faults, settleMs };
  });
}

function neverAccepted({ unsent }: LoadRecords): string[] {
  return unsent === 0 ? [] : [`${unsent} calls were never accepted, though all was well again`];
}

function lastOf(faults: readonly PlannedFault[]): number {
  return faults.at(-1)?.atMs ?? 0;
}

/** Waits until nothing is open any more, neither in the table nor in the queue. What is left then is a violation. */
async function settle(
  system: ChaosSystem,
  reader: DatabaseReader,
  say: (text: string) => void,
): Promise<void> {
  const until = performance.now() + SETTLE_MS;
  for (;;) {
    const open = await reader.unsettled();
    const keys = checkRedisKeys({ redisKeys: await readRedisKeys(system) });
    if (open === 0 && keys.length === 0) return;
    if (performance.now() > until) {
      say(`not settled: ${open} tasks, keys ${keys.map(({ subject }) => subject).join(' ')}`);
      return;
    }
    await sleep(POLL_MS);
  }
}

async function backToNormal(
  system: ChaosSystem,
  reader: DatabaseReader,
  before: Usage,
): Promise<Usage> {
  const until = performance.now() + COME_BACK_MS;
  for (;;) {
    const after = await readUsage(system, reader);
    if (isBack(before, after) || performance.now() > until) return after;
    await sleep(POLL_MS);
  }
}

async function withReader<T>(
  system: ChaosSystem,
  use: (reader: DatabaseReader) => Promise<T>,
): Promise<T> {
  const reader = readDatabase(system.postgres.url);
  try {
    return await use(reader);
  } finally {
    await reader.close();
  }
}

function summaryOf(
  options: ChaosOptions,
  { records, counts, faults, settleMs }: RunResult,
  evidence: Evidence,
  violations: readonly Violation[],
): Readonly<Record<string, unknown>> {
  const count = (check: string): number => violations.filter((one) => one.check === check).length;
  const sum = (of: 'attempt' | 'failures' | 'lost'): number =>
    evidence.rows.reduce((total, row) => total + row[of], 0);
  return {
    seed: options.seed,
    minutes: options.durationMs / 60_000,
    tasks: records.tasks.length,
    heldCalls: records.held.length,
    unacknowledged: evidence.rows.length - records.tasks.length,
    neverSent: records.unsent,
    faults: [...faults.values()].reduce((total, one) => total + one, 0),
    faultsByKind: Object.fromEntries(faults),
    attempts: sum('attempt'),
    failedAttempts: sum('failures'),
    lostAttempts: sum('lost'),
    cancelled: evidence.rows.filter(({ state }) => state === 'cancelled').length,
    foreignLooks: evidence.looks.length,
    ...counts,
    settleMs,
    before: evidence.before,
    after: evidence.after,
    lost: count('lost') + count('open'),
    doubled: count('doubled'),
    wrong: count('wrong') + count('changed') + count('cancel'),
    violations: violations.length,
  };
}
