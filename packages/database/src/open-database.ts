import type {
  ApiKeyStore,
  AttemptStore,
  AuditStore,
  BatchStore,
  BulkStore,
  CardStore,
  CatalogueStore,
  FileRecords,
  IdentityStore,
  InputStore,
  ItemRecords,
  Logger,
  MaintenanceStore,
  OperatorStore,
  PauseStore,
  RequestCounts,
  ScheduleStore,
  SecretStore,
  SessionStore,
  StatsStore,
  TaskStore,
  ToolStarts,
  WebhookStore,
} from '@longshore/core';
import * as z from 'zod';
import { createPool, serverName } from './connection/connection-pool.ts';
import { PoolRunner } from './connection/pool-runner.ts';
import { Prisma } from './generated/client.ts';
import { PostgresApiKeyStore } from './stores/postgres-api-key-store.ts';
import { PostgresAttemptStore } from './stores/postgres-attempt-store.ts';
import { PostgresAuditStore } from './stores/postgres-audit-store.ts';
import { PostgresBatchStore } from './stores/postgres-batch-store.ts';
import { PostgresBulkStore } from './stores/postgres-bulk-store.ts';
import { PostgresCardStore } from './stores/postgres-card-store.ts';
import { PostgresCatalogueStore } from './stores/postgres-catalogue-store.ts';
import { PostgresFileRecords } from './stores/postgres-file-records.ts';
import { PostgresIdentityStore } from './stores/postgres-identity-store.ts';
import { PostgresInputStore } from './stores/postgres-input-store.ts';
import { PostgresItemRecords } from './stores/postgres-item-records.ts';
import { PostgresMaintenanceStore } from './stores/postgres-maintenance-store.ts';
import { PostgresOperatorStore } from './stores/postgres-operator-store.ts';
import { PostgresPauseStore } from './stores/postgres-pause-store.ts';
import { PostgresRequestCounts } from './stores/postgres-request-counts.ts';
import { PostgresScheduleStore } from './stores/postgres-schedule-store.ts';
import { PostgresSecretStore } from './stores/postgres-secret-store.ts';
import { PostgresSessionStore } from './stores/postgres-session-store.ts';
import { PostgresStatsStore } from './stores/postgres-stats-store.ts';
import { PostgresTaskStore } from './stores/postgres-task-store.ts';
import { PostgresToolStarts } from './stores/postgres-tool-starts.ts';
import { PostgresWebhookStore } from './stores/postgres-webhook-store.ts';

export interface OpenDatabaseOptions {
  /** `postgresql://user:password@host:port/database`. Never shown in a message. */
  readonly url: string;
  readonly log: Logger;
  /** Most connections of this process, 10 by default. */
  readonly poolSize?: number;
  /** Milliseconds to wait for a connection, 5 s by default. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds until Postgres gives up a statement, 15 s by default. */
  readonly statementTimeoutMs?: number;
}

/**
 * All access to Postgres. Every method throws LongshoreError: DATABASE_UNAVAILABLE, which is retryable,
 * when Postgres can not be reached or does not answer in time (a write may have happened all the same);
 * INVALID_PARAMS for text that Postgres can not hold; INTERNAL for defects.
 */
export interface Database {
  readonly taskStore: TaskStore;
  readonly attemptStore: AttemptStore;
  readonly batchStore: BatchStore;
  readonly maintenanceStore: MaintenanceStore;
  readonly sessionStore: SessionStore;
  readonly cardStore: CardStore;
  readonly catalogueStore: CatalogueStore;
  readonly inputStore: InputStore;
  readonly fileRecords: FileRecords;
  readonly itemRecords: ItemRecords;
  readonly identityStore: IdentityStore;
  readonly secretStore: SecretStore;
  readonly apiKeyStore: ApiKeyStore;
  readonly requestCounts: RequestCounts;
  readonly toolStarts: ToolStarts;
  readonly scheduleStore: ScheduleStore;
  readonly operatorStore: OperatorStore;
  readonly pauseStore: PauseStore;
  readonly bulkStore: BulkStore;
  readonly auditStore: AuditStore;
  readonly statsStore: StatsStore;
  readonly webhookStore: WebhookStore;
  /** How many there are by now, how many of them nobody uses, and how many calls wait for one. */
  connections(): { readonly open: number; readonly idle: number; readonly waiting: number };
  /** @throws {LongshoreError} DATABASE_UNAVAILABLE */
  ping(): Promise<void>;
  /** Fails the calls that wait, waits for the statements under way, and disconnects. May be called twice. */
  close(): Promise<void>;
}

/**
 * Opens the stores over one pool of connections. It connects with the first call, and again by itself after
 * Postgres was away.
 *
 * @throws {LongshoreError} CONFIG_INVALID when `url` is no URL
 */
export function openDatabase(options: OpenDatabaseOptions): Database {
  const {
    url,
    log,
    poolSize = 10,
    connectTimeoutMs = 5_000,
    statementTimeoutMs = 15_000,
  } = options;
  const pool = createPool({ url, log, poolSize, connectTimeoutMs, statementTimeoutMs });
  const runner = new PoolRunner(pool, serverName(url));
  const taskStore = new PostgresTaskStore(runner);
  const attemptStore = new PostgresAttemptStore(runner);
  const cardStore = new PostgresCardStore(runner);
  let closed: Promise<void> | null = null;
  const close = async (): Promise<void> => {
    await Promise.all([taskStore.close(), attemptStore.close()]);
    await runner.close();
  };
  return {
    taskStore,
    attemptStore,
    batchStore: new PostgresBatchStore(runner),
    maintenanceStore: new PostgresMaintenanceStore(runner),
    sessionStore: new PostgresSessionStore(runner),
    cardStore,
    catalogueStore: new PostgresCatalogueStore(runner, cardStore, log),
    inputStore: new PostgresInputStore(runner),
    fileRecords: new PostgresFileRecords(runner),
    itemRecords: new PostgresItemRecords(runner),
    identityStore: new PostgresIdentityStore(runner),
    secretStore: new PostgresSecretStore(runner),
    apiKeyStore: new PostgresApiKeyStore(runner),
    requestCounts: new PostgresRequestCounts(runner),
    toolStarts: new PostgresToolStarts(runner),
    scheduleStore: new PostgresScheduleStore(runner),
    operatorStore: new PostgresOperatorStore(runner),
    pauseStore: new PostgresPauseStore(runner),
    bulkStore: new PostgresBulkStore(runner),
    auditStore: new PostgresAuditStore(runner),
    statsStore: new PostgresStatsStore(runner),
    webhookStore: new PostgresWebhookStore(runner),
    connections: () => ({
      open: pool.totalCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    ping: async () => {
      await runner.run({ name: 'ping', row: z.unknown(), sql: Prisma.sql`SELECT 1` });
    },
    close: () => {
      closed ??= close();
      return closed;
    },
  };
}
