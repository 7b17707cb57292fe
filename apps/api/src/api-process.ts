import { randomBytes } from 'node:crypto';
import type { Config } from '@longshore/config';
import { LongshoreError, type RequestCounts } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { assertMigrated } from '@longshore/database/migrator';
import { openFileStore } from '@longshore/files';
import { ApiMetrics, countedMaintenance } from '@longshore/metrics';
import {
  AdmissionWindow,
  BusProbe,
  FileSweeper,
  Housekeeper,
  openMessaging,
  Pauses,
  RedisRequestCounts,
  Relay,
  ScheduleSweeper,
  StatsKeeper,
  Sweeper,
} from '@longshore/queue';
import { type RootLogger, StartedServices } from '@longshore/runtime';
import { createApp } from './app.ts';
import { TaskSubmitter } from './calls/task-submitter.ts';
import { Cards } from './cards/cards.ts';
import { ArgumentValidator } from './catalogue/argument-validator.ts';
import { Broadcasts } from './catalogue/broadcasts.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { TaskContents } from './contents/task-contents.ts';
import { TaskHistories } from './contents/task-history.ts';
import { AuditTrail } from './edge/audit-trail.ts';
import { openAuthentication } from './edge/auth/open-authentication.ts';
import { HttpServer } from './edge/http-server.ts';
import { KeepAlive } from './edge/keep-alive.ts';
import { limitsOver } from './edge/limits/limits-of.ts';
import { RequestRates } from './edge/limits/request-rates.ts';
import { queueStands } from './edge/queue-stands.ts';
import { StreamLimit } from './edge/stream-limit.ts';
import { UnreadAnswers } from './edge/unread-answers.ts';
import { InputDesk } from './inputs/input-desk.ts';
import { JobTools } from './job-tools/job-tools.ts';
import { LegacyEndpoint } from './legacy/legacy-endpoint.ts';
import type { SseEndpoint } from './legacy/sse/sse-endpoint.ts';
import type { ApiContext } from './methods/api-context.ts';
import { ModernEndpoint } from './modern/modern-endpoint.ts';
import { RequestStateCodec } from './modern/request-state.ts';
import { openOperatorDoor } from './operator-door.ts';
import { ScheduleRunner } from './schedules/schedule-runner.ts';
import { SessionRegistry } from './sessions/session-registry.ts';
import { WatchHub } from './watch/watch-hub.ts';
import { WebhookCourier } from './webhooks/webhook-courier.ts';

/** Of the pool that operators' requests share. */
const OPERATOR_CONNECTIONS = 3;
const OPERATOR_STATEMENT_MS = 5_000;

const INSTRUCTIONS =
  'Longshore runs tools as durable background tasks. Call a tool as a task for anything slow or large: the task survives restarts, reports progress, and its result can be fetched at any time with its id.';

/** Keep-alive comments that a stream may leave unread, with whatever came before them, until it is cut. */
const STALLED_KEEP_ALIVES = 4;
/** However often they come. */
const MIN_STALLED_MS = 2_000;

/** A listening API with everything it stands on. */
export interface ApiProcess {
  /** The MCP endpoint. */
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Connects, and starts serving.
 *
 * @throws {LongshoreError} with what to do about it: no database, one that does not answer or is not
 *   migrated, no Redis, a taken port. Then nothing is left running.
 */
export async function startApiProcess(options: {
  config: Config;
  version: string;
  /** Directory of the built dashboard. */
  dashboard: string;
  log: RootLogger;
}): Promise<ApiProcess> {
  const { config, log } = options;
  const databaseUrl = config.DATABASE_URL;
  if (databaseUrl === null) {
    throw new LongshoreError(
      'CONFIG_INVALID',
      'DATABASE_URL is not set: an API needs the database its workers use. `npm start` brings one along.',
    );
  }
  await assertMigrated({ url: databaseUrl, log });
  const started = new StartedServices(log);
  try {
    const database = openDatabase({ url: databaseUrl, log });
    started.add('database', () => database.close());
    const candidate = randomBytes(32).toString('base64url');
    const stateKey = await database.secretStore.ensure('request-state', candidate);
    const messaging = openMessaging({ redisUrl: config.REDIS_URL, databaseUrl, log });
    const { jobs, bus } = messaging;
    await started.start('bus', bus);
    await started.start('job queue', jobs);
    const authentication = await openAuthentication({ config, database, bus });
    for (const service of authentication.services) await started.start('authentication', service);
    const { taskStore: tasks, maintenanceStore: maintenance } = database;
    const catalogue = new Catalogue({ store: database.catalogueStore, bus, log });
    const metrics = new ApiMetrics((name) => catalogue.tools.find(name) !== null);
    const windowJobs = config.QUEUE_WINDOW;
    const { pauseStore } = database;
    const pauses = new Pauses({ store: pauseStore, worker: null, bus, log });
    await started.start('pauses', pauses);
    const relay = new Relay({ store: maintenance, jobs, pauses, log, windowJobs });
    await started.start('relay', relay);
    const swept = countedMaintenance(maintenance, metrics);
    await started.start('sweeper', new Sweeper({ store: swept, jobs, bus, log }));
    await started.start(
      'housekeeper',
      new Housekeeper({
        sessions: database.sessionStore,
        catalogue: database.catalogueStore,
        cards: database.cardStore,
        tasks: maintenance,
        sessionIdleMs: config.SESSION_IDLE_MS,
        eventRetentionMs: config.EVENT_RETENTION_MS,
        resultRetentionMs: config.RESULT_RETENTION_MS,
        log,
      }),
    );
    // Connections of their own, few, with statements that end soon: nothing that operators read holds up a call.
    const operatorDatabase = openDatabase({
      url: databaseUrl,
      log,
      poolSize: OPERATOR_CONNECTIONS,
      statementTimeoutMs: OPERATOR_STATEMENT_MS,
    });
    started.add('database of operators', () => operatorDatabase.close());
    await started.start(
      'stats keeper',
      new StatsKeeper({ store: operatorDatabase.statsStore, log }),
    );
    const webhooks = new WebhookCourier({
      store: operatorDatabase.webhookStore,
      config,
      metrics,
      log,
    });
    await started.start('webhooks', webhooks);
    const { fileRecords: files } = database;
    const store = openFileStore(config);
    await started.start('file sweeper', new FileSweeper({ records: files, store, log }));
    const sessions = new SessionRegistry({ store: database.sessionStore, bus, log });
    await started.start('sessions', sessions);
    await started.start('catalogue', catalogue);
    const broadcasts = new Broadcasts({ catalogue, bus, sessions });
    await started.start('broadcasts', broadcasts);
    const keepAlive = new KeepAlive(config.KEEP_ALIVE_MS);
    await started.start('keep-alive', keepAlive);
    const rates = new RequestRates({
      counts: await requestCounts(config, database, started, log),
      log,
    });
    await started.start('request rates', rates);
    const cardRates = new RequestRates({ counts: null, log });
    const limitsOf = limitsOver({
      requestsPerMinute: config.RATE_LIMIT_PER_MINUTE,
      concurrentTasks: config.MAX_CONCURRENT_TASKS,
      queuedTasks: config.MAX_QUEUED_TASKS,
      argumentBytes: config.MAX_ARGUMENT_BYTES,
      maxTtlMs: config.MAX_TTL_MS,
      openStreams: config.MAX_OPEN_STREAMS,
      sessions: config.MAX_SESSIONS,
      schedules: config.MAX_SCHEDULES,
    });
    const submitter = new TaskSubmitter({
      tasks,
      maintenance,
      jobs,
      admission: new AdmissionWindow({
        jobs,
        store: maintenance,
        depthOf: (queue) => relay.depthOf(queue),
        windowJobs,
      }),
      relay,
      queueLimits: config.QUEUE_CONCURRENCY ?? new Map(),
      pauses,
      metrics,
      log,
    });
    const validator = new ArgumentValidator();
    const { scheduleStore: schedules } = database;
    const runner = new ScheduleRunner({
      store: schedules,
      catalogue,
      validator,
      submitter,
      limitsOf,
      defaultTtlMs: config.DEFAULT_TTL_MS,
      log,
    });
    const wakes = messaging.createScheduleWakes((id) => runner.wake(id));
    await started.start('wakes of schedules', wakes);
    await started.start(
      'schedule sweeper',
      new ScheduleSweeper({
        store: schedules,
        wakes,
        run: (schedule) => runner.run(schedule),
        log,
      }),
    );
    const watch = new WatchHub({ tasks, inputs: database.inputStore, bus, log });
    await started.start('watch hub', watch);
    const held = new StreamLimit();
    const context: ApiContext = {
      server: { name: 'longshore', version: options.version, instructions: INSTRUCTIONS },
      settings: {
        defaultTtlMs: config.DEFAULT_TTL_MS,
        pollIntervalMs: config.POLL_INTERVAL_MS,
        toolErrors: config.COMPAT_TOOL_ERRORS,
        inlineWaitMs: config.INLINE_WAIT_MS,
        progressIntervalMs: config.PROGRESS_INTERVAL_MS,
        requiredToolsInline: config.COMPAT_REQUIRED_TOOLS === 'inline',
        resultInlineBytes: config.RESULT_INLINE_BYTES,
        dashboardUrl:
          config.PUBLIC_URL === null ? null : new URL('/dashboard', config.PUBLIC_URL).href,
      },
      limitsOf,
      rates,
      cardRates,
      held,
      tasks,
      pauseNote: ({ toolName }) =>
        pauses.noteOn(toolName, catalogue.tools.find(toolName)?.policy.queue ?? null),
      contents: new TaskContents({
        records: files,
        store,
        items: database.itemRecords,
        histories: new TaskHistories({
          tasks,
          catalogue: database.catalogueStore,
          leaseMs: config.LEASE_MS,
        }),
      }),
      inputs: new InputDesk({ store: database.inputStore, bus }),
      jobs,
      schedules,
      wakes,
      bus,
      sessions,
      catalogue,
      broadcasts,
      jobTools: new JobTools(config.JOB_TOOLS, { schedules: config.SCHEDULE_TOOLS }),
      cards: new Cards(options.dashboard, config.JOB_TOOLS, database.cardStore),
      validator,
      submitter,
      metrics,
      watch,
      log,
    };
    const publicHost = config.PUBLIC_URL === null ? [] : [new URL(config.PUBLIC_URL).hostname];
    let accepting = true;
    const modern = new ModernEndpoint({
      context: {
        ...context,
        taskNameHeader: config.COMPAT_TASK_NAME,
        requestStates: new RequestStateCodec({ key: stateKey }),
      },
      keepAlive,
      drainMs: config.SHUTDOWN_GRACE_MS,
    });
    const legacy = new LegacyEndpoint({
      context,
      keepAlive,
      maxStreamMs: config.STREAM_MAX_MS === 0 ? null : config.STREAM_MAX_MS,
    });
    const sse = config.SSE_TRANSPORT ? await openSse(context, legacy, keepAlive, config) : null;
    const audit = new AuditTrail({
      store: operatorDatabase.auditStore,
      retentionMs: config.AUDIT_RETENTION_MS,
      metrics,
      log,
    });
    await started.start('audit', audit);
    const operators = await openOperatorDoor({
      ...options,
      database,
      operatorDatabase,
      authentication,
      context,
      pauses,
      webhooks,
      audit,
    });
    await started.start('operators', operators);
    const unread = new UnreadAnswers({ log });
    await started.start('unread answers', unread);
    const probe = new BusProbe(bus);
    await started.start('bus probe', probe);
    metrics.expose({
      connections: () => database.connections(),
      busLag: () => probe.lag(),
      relayLag: () => relay.lagMs / 1_000,
      openStreams: () => keepAlive.open,
      heldRequests: () => held.open,
      offeredTools: () => Array.from(catalogue.tools.all(), (tool) => tool.name),
      queues: () => queueStands(operatorDatabase.operatorStore, log),
    });
    const http = new HttpServer({
      handler: createApp({
        legacy,
        modern,
        sse,
        context,
        metrics,
        metricsToken: config.METRICS_TOKEN,
        ...authentication,
        operators,
        audit,
        health: {
          workers: async () => (await database.catalogueStore.presence(config.LEASE_MS)).workers,
          accepting: () => accepting,
        },
        allowedHosts: [...config.ALLOWED_HOSTS, ...publicHost],
        allowedOrigins: [...config.ALLOWED_ORIGINS, ...publicHost],
        corsOrigins: config.CORS_ORIGINS,
        maxBodyBytes: config.MAX_BODY_BYTES,
        log,
      }),
      host: config.HOST,
      port: config.PORT,
      stalledReaderMs: Math.max(STALLED_KEEP_ALIVES * config.KEEP_ALIVE_MS, MIN_STALLED_MS),
      unread,
    });
    await started.start('http', http);
    await started.start('mcp', legacy);
    await started.start('modern mcp', modern);
    if (sse !== null) await started.start('http+sse', sse);
    return {
      url: `${http.url}/mcp`,
      stop: () => {
        accepting = false;
        return started.stop();
      },
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** Loaded only where it is wanted: the SDK's transport brings a second copy of the protocol's schemas. */
async function openSse(
  context: ApiContext,
  { server }: LegacyEndpoint,
  keepAlive: KeepAlive,
  { SHUTDOWN_GRACE_MS: drainMs }: Config,
): Promise<SseEndpoint> {
  const { SseEndpoint: Endpoint } = await import('./legacy/sse/sse-endpoint.ts');
  return new Endpoint({ context, server, keepAlive, drainMs });
}

/** In Redis when there is one, else in Postgres. */
async function requestCounts(
  config: Config,
  database: Database,
  started: StartedServices,
  log: RootLogger,
): Promise<RequestCounts> {
  if (config.REDIS_URL === null) return database.requestCounts;
  const counts = new RedisRequestCounts({ url: config.REDIS_URL, log });
  await started.start('request counts', counts);
  return counts;
}
