import { chmod, mkdir } from 'node:fs/promises';
import { availableParallelism, hostname } from 'node:os';
import path from 'node:path';
import type { Config } from '@longshore/config';
import { type Logger, LongshoreError, type ToolStarts, type WorkerId } from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { assertMigrated } from '@longshore/database/migrator';
import { openFileStore } from '@longshore/files';
import { countedMaintenance, WorkerMetrics } from '@longshore/metrics';
import { BusProbe, openMessaging, Pauses, RedisToolStarts, Relay, Sweeper } from '@longshore/queue';
import { StartedServices } from '@longshore/runtime';
import { ToolLookup } from './batch/tool-lookup.ts';
import { batchTool } from './batch-tool/batch-tool.ts';
import { type RetryToolOptions, retryTool } from './batch-tool/retry-tool.ts';
import { TaskFolderSweeper } from './files/task-folder-sweeper.ts';
import { announcedTool } from './plugins/announced-offers.ts';
import { BUNDLED_PLUGINS, loadPlugins } from './plugins/load-plugins.ts';
import { type LoadedTool, type Offers, servedOffers } from './plugins/offers.ts';
import { healthServer } from './services/health-server.ts';
import { metricsServer } from './services/metrics-server.ts';
import { OfferChanges } from './services/offer-changes.ts';
import { ResourceUpdates } from './services/resource-updates.ts';
import { warnOfClashes } from './services/tool-clashes.ts';
import { ThreadPool } from './threads/thread-pool.ts';
import { Worker } from './worker.ts';

export interface WorkerProcessOptions {
  readonly config: Config;
  readonly workerId: WorkerId;
  readonly version: string;
  readonly log: Logger;
}

const SWEEP_MS = 5_000;

/** A worker with everything it stands on. */
export interface WorkerProcess {
  readonly tools: readonly string[];
  readonly queues: readonly string[];
  /** Hands over what runs and closes all connections. */
  stop(): Promise<void>;
  /** The same once what runs has ended, however long that takes; `stop` meanwhile gives it the grace. */
  retire(): Promise<void>;
}

/**
 * Loads the plugins, connects, and starts working.
 *
 * @throws {LongshoreError} with what to do about it: a plugin that can not be loaded, no database, one that
 *   does not answer or is not migrated, no Redis. Then nothing is left running.
 */
export async function startWorkerProcess(options: WorkerProcessOptions): Promise<WorkerProcess> {
  const { config, workerId, log } = options;
  const databaseUrl = config.DATABASE_URL;
  if (databaseUrl === null) {
    throw new LongshoreError(
      'CONFIG_INVALID',
      'DATABASE_URL is not set: a worker needs the database its API uses. `npm start` brings one along.',
    );
  }
  const dataDir = path.resolve(config.DATA_DIR, 'files');
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  // Of a version that let everybody of the machine read it.
  await chmod(dataDir, 0o700);
  const updates = new ResourceUpdates(log);
  const changes = new OfferChanges(log);
  const host = {
    directories: config.PLUGIN_DIRS.map((dir) => path.resolve(dir)),
    dataDir,
    fileLimits: {
      fileBytes: config.MAX_FILE_BYTES,
      principalBytes: config.MAX_PRINCIPAL_FILE_BYTES,
    },
    network: {
      hosts: config.PLUGIN_HOSTS,
      privateHosts: config.PLUGIN_PRIVATE_HOSTS ?? [],
      userAgent: config.PLUGIN_USER_AGENT,
    },
    resourceUpdated: (uri: unknown) => updates.updated(uri),
    catalogueChanged: () => changes.changed(),
  };
  const plugins = await loadPlugins({
    specifiers: [...(config.BUNDLED_PLUGINS ? BUNDLED_PLUGINS : []), ...(config.PLUGINS ?? [])],
    search: { currentDirectory: process.cwd(), workerDirectory: import.meta.dirname },
    host,
  });
  // Connects with the first call.
  const database = openDatabase({ url: databaseUrl, log });
  const lookup = new ToolLookup(database.catalogueStore);
  const batchTools = {
    host,
    records: database.itemRecords,
    findTool: (name: string) => lookup.find(name),
  };
  const collect = (): Offers =>
    config.BATCH_TOOL
      ? withBatchTools(plugins.collect(), batchTools, options.version)
      : plugins.collect();
  const offers = servedOffers(collect(), config.WORKER_QUEUES, log);
  const own = new Set(offers.tools.map(({ tool }) => tool.name));
  const metrics = new WorkerMetrics((name) => own.has(name));
  await assertMigrated({ url: databaseUrl, log });

  const started = new StartedServices(log);
  try {
    started.add('database', () => database.close());
    const { jobs, bus, createJobConsumer } = openMessaging({
      redisUrl: config.REDIS_URL,
      databaseUrl,
      log,
    });
    await started.start('bus', bus);
    updates.connect(bus);
    started.add('resource updates', () => updates.close());
    await started.start('job queue', jobs);
    const store = database.maintenanceStore;
    const windowJobs = config.QUEUE_WINDOW;
    const pauses = new Pauses({
      store: database.pauseStore,
      worker: workerId,
      bus,
      onDrain: async (isDraining) => worker.setDraining(isDraining),
      log,
    });
    await started.start('pauses', pauses);
    const relay = new Relay({ store, jobs, pauses, log, windowJobs });
    await started.start('relay', relay);
    // What a dead worker leaves is found half a lease later.
    const intervalMs = Math.min(SWEEP_MS, config.LEASE_MS / 2);
    await started.start(
      'sweeper',
      new Sweeper({ store: countedMaintenance(store, metrics), jobs, bus, log, intervalMs }),
    );
    const folders = new TaskFolderSweeper({
      dataDir,
      records: database.fileRecords,
      secrets: database.secretStore,
      log,
    });
    await started.start('task folder sweeper', folders);
    const threads = new ThreadPool({
      ...host,
      size: config.THREADS ?? availableParallelism(),
      heapMiB: config.THREAD_HEAP_MIB,
      log,
    });
    started.add('threads', () => threads.stop());
    const worker = new Worker({
      id: workerId,
      host: hostname(),
      pid: process.pid,
      version: options.version,
      offers,
      threads,
      concurrency: config.WORKER_CONCURRENCY,
      spareSeats: config.SPARE_SEATS,
      leaseMs: config.LEASE_MS,
      shutdownGraceMs: config.SHUTDOWN_GRACE_MS,
      attempts: database.attemptStore,
      batches: database.batchStore,
      starts: await toolStarts(config, database, started, log),
      maxBatchItems: config.MAX_BATCH_ITEMS,
      inputs: database.inputStore,
      pokeRelay: () => relay.poke(),
      jobs,
      unadmit: (taskIds) => store.unadmit(taskIds),
      pauses,
      files: {
        store: openFileStore(config),
        records: database.fileRecords,
        limits: host.fileLimits,
      },
      results: { inlineBytes: config.RESULT_INLINE_BYTES, maxBytes: config.MAX_RESULT_BYTES },
      catalogue: database.catalogueStore,
      bus,
      resourceUpdated: (uri) => updates.updated(uri),
      createConsumer: createJobConsumer,
      metrics,
      log,
    });
    if (config.METRICS_PORT !== null) {
      const probe = new BusProbe(bus);
      await started.start('bus probe', probe);
      metrics.expose({
        connections: () => database.connections(),
        busLag: () => probe.lag(),
        relayLag: () => relay.lagMs / 1_000,
        running: () => worker.running,
      });
      const server = metricsServer({
        host: config.METRICS_HOST,
        port: config.METRICS_PORT,
        token: config.METRICS_TOKEN,
        metrics,
        log,
      });
      await started.start('metrics', server);
    }
    if (config.HEALTH_PORT !== null) {
      const health = { host: config.HOST, port: config.HEALTH_PORT, isReady: () => worker.isReady };
      await started.start('health', healthServer(health));
    }
    await started.start('worker', worker);
    changes.connect(() => {
      const collected = collect();
      for (const { tool } of collected.tools) own.add(tool.name);
      threads.renew();
      return worker.offer(collected);
    });
    started.add('changes of plugins', () => changes.close());
    void warnOfClashes({
      catalogue: database.catalogueStore,
      tools: offers.tools.map(({ tool }) => tool.name),
      leaseMs: config.LEASE_MS,
      log,
    });
    let stopped: Promise<void> | null = null;
    const stop = (): Promise<void> => {
      stopped ??= started.stop();
      return stopped;
    };
    return {
      tools: offers.tools.map(({ tool }) => tool.name),
      queues: worker.queues,
      stop,
      retire: async () => {
        await worker.retire();
        await stop();
      },
    };
  } catch (error) {
    await started.stop();
    throw error;
  }
}

/** In Redis when there is one, else in Postgres. */
async function toolStarts(
  config: Config,
  database: Database,
  started: StartedServices,
  log: Logger,
): Promise<ToolStarts> {
  if (config.REDIS_URL === null) return database.toolStarts;
  const starts = new RedisToolStarts({ url: config.REDIS_URL, log });
  await started.start('tool starts', starts);
  return starts;
}

/** What a worker offers beside its plugins. */
function withBatchTools(offers: Offers, options: RetryToolOptions, version: string): Offers {
  const own = [batchTool(options), retryTool(options)].map(
    (tool): LoadedTool => ({
      tool,
      announced: announcedTool(tool, { name: '@longshore/worker', version }),
      // No thread ever looks for its module.
      entry: '',
    }),
  );
  return { ...offers, tools: [...offers.tools, ...own] };
}
