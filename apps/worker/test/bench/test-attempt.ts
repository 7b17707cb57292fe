import {
  type AttemptStore,
  type BatchStore,
  type Claim,
  type EventBus,
  NO_ABILITIES,
  type PrincipalId,
  silentLogger,
  type TaskId,
  type WorkerId,
} from '@longshore/core';
import { WorkerMetrics } from '@longshore/metrics';
import { Attempt } from '../../src/attempts/attempt.ts';
import { AttemptLogs } from '../../src/attempts/attempt-logs.ts';
import { AttemptReporter } from '../../src/attempts/attempt-reporter.ts';
import type { BatchServices } from '../../src/batch/attempt-batches.ts';
import { ToolLookup } from '../../src/batch/tool-lookup.ts';
import { AttemptFiles } from '../../src/files/attempt-files.ts';
import { Seats } from '../../src/run/seats.ts';

/** A store whose methods fail unless they are given. */
export function testStore(methods: Partial<AttemptStore> = {}): AttemptStore {
  const unexpected = (): Promise<never> => Promise.reject(new Error('not expected'));
  return {
    claim: unexpected,
    heartbeat: unexpected,
    finish: unexpected,
    retry: unexpected,
    release: unexpected,
    releaseUnconfirmed: unexpected,
    newcomers: unexpected,
    ask: unexpected,
    readAnswers: unexpected,
    timeOutInputs: unexpected,
    appendLogs: unexpected,
    getCheckpoint: unexpected,
    setCheckpoint: unexpected,
    ...methods,
  };
}

/** A store of batches whose methods fail unless they are given. */
export function testBatches(methods: Partial<BatchStore> = {}): BatchStore {
  const unexpected = (): Promise<never> => Promise.reject(new Error('not expected'));
  return {
    open: unexpected,
    storeChunks: unexpected,
    stop: unexpected,
    chunk: unexpected,
    save: unexpected,
    chunks: unexpected,
    progress: unexpected,
    outcomes: unexpected,
    startChild: unexpected,
    childOutcome: unexpected,
    cancelDescendants: unexpected,
    cancelChildren: unexpected,
    ...methods,
  };
}

/** What batches need, none of which is expected to be used. */
export function testServices(over: Partial<BatchServices> = {}): BatchServices {
  const unexpected = (): Promise<never> => Promise.reject(new Error('not expected'));
  return {
    store: testBatches(),
    attempts: testStore(),
    inputStore: { pending: unexpected, answer: unexpected },
    tools: new ToolLookup({ load: unexpected }),
    bus: testBus(),
    poke: () => {},
    maxItems: 2_000_000,
    metrics: new WorkerMetrics(() => true),
    log: silentLogger,
    ...over,
  };
}

/** Takes no files. */
export function noFiles(attempt: Attempt): AttemptFiles {
  const unexpected = (): never => {
    throw new Error('not expected');
  };
  return new AttemptFiles(attempt, {
    store: { write: unexpected, read: unexpected, delete: unexpected },
    records: { open: unexpected, keep: unexpected, drop: unexpected, list: unexpected },
    limits: { fileBytes: 0, principalBytes: 0 },
    log: silentLogger,
  });
}

/** A bus that notes what is published. */
export function testBus(): EventBus & { readonly published: unknown[] } {
  const published: unknown[] = [];
  return {
    published,
    start: async () => {},
    stop: async () => {},
    publish: async (_topic, message) => void published.push(message),
    subscribe: () => Promise.reject(new Error('not expected')),
  };
}

/** An attempt that nobody runs. */
export function testAttempt(
  over: Partial<Claim> = {},
  { attempts = testStore(), bus = testBus() }: { attempts?: AttemptStore; bus?: EventBus } = {},
): Attempt {
  const claim: Claim = {
    taskId: '00000000-0000-4000-8000-000000000001' as TaskId,
    attempt: 1,
    workerId: '00000000-0000-4000-8000-000000000003' as WorkerId,
    failures: 0,
    maxAttempts: 1,
    principalId: '00000000-0000-4000-8000-000000000002' as PrincipalId,
    sessionId: null,
    parentTaskId: null,
    requestMethod: 'tools/call',
    toolName: 'tool',
    toolFingerprint: null,
    queue: 'default',
    arguments: {},
    abilities: NO_ABILITIES,
    logLevel: null,
    progressToken: null,
    traceContext: null,
    waitedMs: 0,
    isTakenOver: false,
    progress: null,
    timeoutMs: 60_000,
    deadline: null,
    ...over,
  };
  const reporter = new AttemptReporter({
    floor: null,
    progressIntervalMs: 100,
    publish: async () => {},
    statusChanged: () => {},
  });
  const logs = new AttemptLogs(claim, { attempts, bus, log: silentLogger });
  const seat = new Seats({ size: 1, spare: 0, mostAway: 1 }).takeFor(claim.principalId);
  if (seat === null) throw new Error('the first seat is taken');
  return new Attempt(claim, { reporter, logs, seat, startedAt: performance.now() });
}
