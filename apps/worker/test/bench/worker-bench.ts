import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import {
  type AnswerOutcome,
  type AttemptStore,
  type BusEvent,
  type BusMessage,
  type CancelOutcome,
  type ClientAbilities,
  type InputAnswer,
  type JsonObject,
  type Logger,
  type LogLevel,
  NO_ABILITIES,
  type Outcome,
  type Pause,
  type PendingInput,
  type PrincipalId,
  type RequestMethod,
  type Session,
  sessionTopic,
  silentLogger,
  type Task,
  type TaskId,
  type ToolStarts,
  type WorkerId,
  workerTopic,
} from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { WorkerMetrics } from '@longshore/metrics';
import type { Prompt, Resource, Tool } from '@longshore/plugin';
import { isPrompt, isResource, isTool } from '@longshore/plugin/host';
import { type Messaging, openMessaging, Pauses, RedisToolStarts, Relay } from '@longshore/queue';
import { type Mode, waitFor } from '@longshore/testing';
import { createTestDatabase, createTestRedis } from '@longshore/testing/servers';
import pg from 'pg';
import { Worker } from '../../src/index.ts';
import {
  announcedPrompt,
  announcedResource,
  announcedTool,
} from '../../src/plugins/announced-offers.ts';
import type { ToolThreads } from '../../src/threads/thread-pool.ts';
import { testFiles } from './test-files.ts';
import { testThreads } from './test-threads.ts';

export interface StartOptions {
  readonly leaseMs?: number;
  readonly shutdownGraceMs?: number;
  readonly abortGraceMs?: number;
  readonly concurrency?: number;
  readonly spareSeats?: number;
  readonly maxBatchItems?: number;
  readonly log?: Logger;
  /** Where isolated tools run, and the module that has them. */
  readonly threads?: ToolThreads;
  readonly entry?: string;
  /** Over the real store, to make it fail. */
  readonly attempts?: (real: AttemptStore) => AttemptStore;
}

export interface SubmitOptions {
  readonly maxAttempts?: number;
  readonly timeoutMs?: number;
  readonly deadlineMs?: number;
  readonly queue?: string;
  readonly requestMethod?: RequestMethod;
  readonly abilities?: ClientAbilities;
  readonly logLevel?: LogLevel;
  readonly toolFingerprint?: string;
  /** Whose task it is; the bench's own unless said otherwise. */
  readonly session?: Session;
}

export type Answered = Extract<AnswerOutcome, { kind: 'answered' }>;

const PLUGIN = { name: 'test', version: '0.0.0' };

const ALL_ABILITIES: ClientAbilities = {
  ...NO_ABILITIES,
  elicitation: { form: true, url: true },
  sampling: true,
  samplingTools: true,
  roots: true,
};

/** Long, so that nothing in a test happens because a lease has ended, unless it says so. */
const LEASE_MS = 60_000;

/** Real servers, one session, and workers that run in this process. */
export class WorkerBench {
  readonly database: Database;
  readonly messaging: Messaging;
  readonly session: Session;
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
  /** What the session's topic said so far. */
  readonly heard: BusMessage[] = [];
  /** What plugins said of resources. */
  readonly resourceUpdates: unknown[] = [];
  /** Of tasks that are not of the bench's own session. */
  readonly #owners = new Map<TaskId, PrincipalId>();
  readonly #drop: (() => Promise<void>)[];
  readonly #workers: Worker[] = [];
  readonly #relay: Relay;
  readonly #pauses: Pauses;

  private constructor(
    servers: { database: Database; messaging: Messaging; session: Session },
    urls: { databaseUrl: string; redisUrl: string | null },
    drop: (() => Promise<void>)[],
  ) {
    this.database = servers.database;
    this.messaging = servers.messaging;
    this.session = servers.session;
    this.databaseUrl = urls.databaseUrl;
    this.redisUrl = urls.redisUrl;
    this.#drop = drop;
    this.#pauses = new Pauses({
      store: servers.database.pauseStore,
      worker: null,
      bus: servers.messaging.bus,
      log: silentLogger,
    });
    this.#relay = new Relay({
      store: servers.database.maintenanceStore,
      jobs: servers.messaging.jobs,
      pauses: this.#pauses,
      log: silentLogger,
    });
  }

  static async open(mode: Mode): Promise<WorkerBench> {
    const testDatabase = await createTestDatabase();
    const redis = mode === 'redis' ? await createTestRedis() : null;
    const urls = { databaseUrl: testDatabase.url, redisUrl: redis?.url ?? null };
    const database = openDatabase({ url: urls.databaseUrl, log: silentLogger });
    const messaging = openMessaging({ ...urls, log: silentLogger });
    await messaging.bus.start();
    await messaging.jobs.start();
    const session = await newSession(database);
    const bench = new WorkerBench({ database, messaging, session }, urls, [
      () => messaging.jobs.stop(),
      () => messaging.bus.stop(),
      () => database.close(),
      () => testDatabase.drop(),
      async () => redis?.drop(),
    ]);
    await messaging.bus.subscribe(sessionTopic(session.id), (event: BusEvent) => {
      if (event.kind !== 'resync') bench.heard.push(event);
    });
    await bench.#relay.start();
    return bench;
  }

  /** Of another principal. */
  otherSession(): Promise<Session> {
    return newSession(this.database);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    await this.#relay.stop();
    for (const drop of this.#drop) await drop();
  }

  async startWorker(
    offered: readonly (Tool | Prompt | Resource)[],
    options: StartOptions = {},
  ): Promise<{ worker: Worker; id: WorkerId }> {
    const id = randomUUID() as WorkerId;
    const { attemptStore, batchStore, catalogueStore, fileRecords, inputStore, maintenanceStore } =
      this.database;
    const worker = new Worker({
      id,
      host: 'test',
      pid: process.pid,
      version: '0.0.0',
      offers: {
        tools: offered.filter(isTool).map((tool) => ({
          tool,
          announced: announcedTool(tool, PLUGIN),
          entry: options.entry ?? '',
        })),
        prompts: offered
          .filter(isPrompt)
          .map((prompt) => ({ prompt, announced: announcedPrompt(prompt, PLUGIN) })),
        resources: offered
          .filter(isResource)
          .map((resource) => ({ resource, announced: announcedResource(resource, PLUGIN) })),
      },
      threads: options.threads ?? testThreads(),
      concurrency: options.concurrency ?? 4,
      spareSeats: options.spareSeats ?? 1,
      leaseMs: options.leaseMs ?? LEASE_MS,
      shutdownGraceMs: options.shutdownGraceMs ?? 0,
      ...(options.abortGraceMs === undefined ? {} : { abortGraceMs: options.abortGraceMs }),
      attempts: options.attempts?.(attemptStore) ?? attemptStore,
      batches: batchStore,
      starts: await this.#openStarts(),
      maxBatchItems: options.maxBatchItems ?? 2_000_000,
      inputs: inputStore,
      pokeRelay: () => this.#relay.poke(),
      jobs: this.messaging.jobs,
      unadmit: (taskIds) => maintenanceStore.unadmit(taskIds),
      pauses: this.#pauses,
      ...testFiles(fileRecords),
      catalogue: catalogueStore,
      bus: this.messaging.bus,
      resourceUpdated: (uri) => void this.resourceUpdates.push(uri),
      metrics: new WorkerMetrics(() => true),
      createConsumer: (consumer) => this.messaging.createJobConsumer(consumer),
      log: options.log ?? silentLogger,
    });
    this.#workers.push(worker);
    await worker.start();
    return { worker, id };
  }

  /** Of a worker of its own: workers have no count in common but that of the server. */
  async #openStarts(): Promise<ToolStarts> {
    if (this.redisUrl === null) return this.database.toolStarts;
    const starts = new RedisToolStarts({ url: this.redisUrl, log: silentLogger });
    await starts.start();
    this.#drop.unshift(() => starts.stop());
    return starts;
  }

  /** What the API does with a call: a committed row, then a job. */
  async submit(
    toolName: string,
    args: JsonObject = {},
    options: SubmitOptions = {},
  ): Promise<TaskId> {
    const id = await this.#accept(toolName, args, options);
    await this.messaging.jobs.add(options.queue ?? 'default', [id]);
    return id;
  }

  /** What it does with many at once: they share jobs. */
  async submitMany(count: number, toolName: string): Promise<TaskId[]> {
    const each = Array.from({ length: count }, () => this.#accept(toolName, {}, {}));
    const ids = await Promise.all(each);
    await this.messaging.jobs.add('default', ids);
    return ids;
  }

  async #accept(toolName: string, args: JsonObject, options: SubmitOptions): Promise<TaskId> {
    const id = randomUUID() as TaskId;
    const { queue = 'default', session = this.session } = options;
    if (session !== this.session) this.#owners.set(id, session.principalId);
    await this.database.taskStore.accept({
      id,
      principalId: session.principalId,
      authBindingId: session.authBindingId,
      sessionId: session.id,
      era: 'legacy',
      requestMethod: options.requestMethod ?? 'tools/call',
      abilities: options.abilities ?? ALL_ABILITIES,
      logLevel: options.logLevel ?? null,
      requestId: 1,
      listed: true,
      toolName,
      toolFingerprint: options.toolFingerprint ?? null,
      arguments: args,
      progressToken: 'token',
      queue,
      maxAttempts: options.maxAttempts ?? 1,
      timeoutMs: options.timeoutMs ?? 60_000,
      deadlineMs: options.deadlineMs ?? null,
      ttlMs: 600_000,
      enqueue: true,
      outcome: null,
    });
    return id;
  }

  #ownerOf(id: TaskId): PrincipalId {
    return this.#owners.get(id) ?? this.session.principalId;
  }

  /** What an operator does; all workers know it afterwards. */
  async pause(pause: Pause): Promise<void> {
    await this.database.pauseStore.pause(pause, this.session.principalId);
    await this.#pauses.runOnce();
  }

  /** What the API does with a cancellation. */
  async cancel(id: TaskId): Promise<Extract<CancelOutcome, { kind: 'cancelled' }>> {
    const outcome = await this.database.taskStore.cancel(id, this.#ownerOf(id));
    if (outcome.kind !== 'cancelled') throw new Error(`task ${id}: ${outcome.kind}`);
    for (const ended of [{ id, workerId: outcome.workerId }, ...outcome.descendants]) {
      if (ended.workerId === null) continue;
      const topic = workerTopic(ended.workerId);
      await this.messaging.bus.publish(topic, { kind: 'cancel', taskId: ended.id });
    }
    return outcome;
  }

  async task(id: TaskId): Promise<Task> {
    const task = await this.database.taskStore.find(id, this.#ownerOf(id));
    if (task === null) throw new Error(`no task ${id}`);
    return task;
  }

  /** Waits until the task has ended. */
  async outcome(id: TaskId): Promise<{ task: Task; outcome: Outcome | null }> {
    return waitFor(
      async () => {
        const found = await this.database.taskStore.findWithOutcome(id, this.#ownerOf(id));
        return found?.task.state === 'finished' || found?.task.state === 'cancelled' ? found : null;
      },
      { what: `task ${id} has ended`, timeoutMs: 30_000 },
    );
  }

  /** The text of the result's first block. */
  async text(id: TaskId): Promise<string> {
    const { outcome } = await this.outcome(id);
    if (outcome?.kind !== 'result') throw new Error(`no result but ${JSON.stringify(outcome)}`);
    const { content } = outcome.result;
    const [block] = Array.isArray(content) ? content : [];
    if (typeof block !== 'object' || block === null || Array.isArray(block)) {
      throw new Error(`no content in ${JSON.stringify(outcome)}`);
    }
    return String(block['text']);
  }

  /** Kinds of what happened to the task, in order. */
  async events(id: TaskId): Promise<readonly string[]> {
    const rows = await this.sql<{ kind: string }>(
      'SELECT kind FROM task_events WHERE task_id = $1 ORDER BY id',
      [id],
    );
    return rows.map(({ kind }) => kind);
  }

  /** Runs SQL beside the stores. */
  async sql<Row extends pg.QueryResultRow>(
    text: string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    try {
      return (await client.query<Row>(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  /** Waits until the task has exactly these open questions, and returns them. */
  async questions(id: TaskId, ...keys: string[]): Promise<readonly PendingInput[]> {
    return waitFor(
      async () => {
        const pending = await this.database.inputStore.pending(id, this.#ownerOf(id));
        const found = pending.map(({ key }) => key).sort();
        return isDeepStrictEqual(found, [...keys].sort()) && pending;
      },
      { what: `task ${id} asks ${keys.join(', ')}` },
    );
  }

  /** What the API does with answers. */
  async answer(
    id: TaskId,
    answers: Readonly<Record<string, InputAnswer>>,
    options: { readonly silently?: boolean } = {},
  ): Promise<Answered> {
    const outcome = await this.database.inputStore.answer(
      id,
      this.#ownerOf(id),
      new Map(Object.entries(answers)),
    );
    if (outcome.kind === 'not_found') throw new Error(`no task ${id}`);
    if (outcome.workerId !== null && options.silently !== true) {
      const topic = workerTopic(outcome.workerId);
      await this.messaging.bus.publish(topic, { kind: 'answered', taskId: id });
    }
    return outcome;
  }
}

const newSession = (database: Database): Promise<Session> =>
  database.sessionStore.create({
    protocolVersion: '2025-11-25',
    clientInfo: { name: 'test', version: '1' },
    clientCapabilities: {},
    identity: null,
  });

/** An accepted form. */
export const accepted = (content: JsonObject): InputAnswer => ({
  kind: 'result',
  result: { action: 'accept', content },
});
