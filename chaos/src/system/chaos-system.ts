import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ALL_SCOPES, silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { migrate } from '@longshore/database/migrator';
import { guard } from '@longshore/testing/processes';
import type { AppName, LinkName } from '../plan/fault-plan.ts';
import { type ManagedApp, manageApp } from './managed-app.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';
import { type RedisServer, startRedis } from './redis-server.ts';
import { openTcpLink, type TcpLink } from './tcp-link.ts';

/** A principal and the credential it calls with. */
export interface ChaosPrincipal {
  readonly id: string;
  readonly key: string;
}

/** Everything a run needs: real processes and servers, and links between all of them. */
export interface ChaosSystem {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
  readonly apps: ReadonlyMap<AppName, ManagedApp>;
  /** Endpoints of the APIs, through the links of their clients. */
  readonly urls: readonly string[];
  readonly principals: readonly ChaosPrincipal[];
  /** One more, who has no tasks. */
  readonly greedy: ChaosPrincipal;
  /** Where the tools leave their effects. */
  readonly ledger: string;
  /** All links that a name stands for. */
  linksOf(name: LinkName): TcpLink[];
  /** Tells the links where Postgres is; null: nowhere. */
  routePostgres(port: number | null): void;
  routeRedis(port: number | null): void;
  /** @returns names of apps that did not stop in time */
  stop(): Promise<AppName[]>;
}

export interface SystemOptions {
  readonly apis: number;
  readonly workers: number;
  readonly principals: number;
  /** Folder for the logs of the processes. */
  readonly logDirectory: string;
}

const PLUGIN = path.join(import.meta.dirname, '..', '..', 'dist', 'tools', 'chaos-tools.js');

/**
 * MiB of heap that a process may have. Without a bound V8 collects late on a machine with much memory, and what
 * is only not collected yet looks like a leak; with it, a leak ends in a crash at the latest.
 */
const HEAP_MIB = 160;

/** How soon a dead worker is noticed: short, so that a run sees many takeovers. */
const LEASE_MS = 3_000;

export async function startSystem(options: SystemOptions): Promise<ChaosSystem> {
  const stops: (() => Promise<unknown>)[] = [];
  const stopAll = async (): Promise<void> => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    return await start(options, stops, stopAll);
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function start(
  options: SystemOptions,
  stops: (() => Promise<unknown>)[],
  stopAll: () => Promise<void>,
): Promise<ChaosSystem> {
  const directory = mkdtempSync(path.join(tmpdir(), 'longshore-chaos-'));
  const withdraw = guard({ remove: directory });
  stops.push(async () => {
    rmSync(directory, { recursive: true, force: true, maxRetries: 20 });
    withdraw();
  });
  const ledger = path.join(directory, 'ledger');
  const redisDirectory = path.join(directory, 'redis');
  for (const folder of [ledger, redisDirectory, path.join(directory, 'data')]) mkdirSync(folder);

  const postgres = await startPostgres(path.join(directory, 'postgres'));
  stops.push(() => postgres.stop());
  await migrate({ url: postgres.url });
  const principals = await createPrincipals(postgres.url, options.principals);
  const [greedy] = await createPrincipals(postgres.url, 1, 'greedy');
  if (greedy === undefined) throw new Error('no key was made');
  const redis = await startRedis(redisDirectory);
  stops.push(() => redis.kill());

  const links = new Map<Exclude<LinkName, `*${string}`>, TcpLink>();
  const openLink = async (name: Exclude<LinkName, `*${string}`>): Promise<TcpLink> => {
    const link = await openTcpLink();
    links.set(name, link);
    stops.push(() => link.close());
    return link;
  };
  const linksTo = (end: string): TcpLink[] =>
    [...links].flatMap(([name, link]) => (name.endsWith(end) ? [link] : []));
  const apps = new Map<AppName, ManagedApp>();
  const urls: string[] = [];
  const add = async (app: 'api' | 'worker', index: number): Promise<void> => {
    const name: AppName = `${app}-${index}`;
    const toPostgres = await openLink(`${name}>postgres`);
    const toRedis = await openLink(`${name}>redis`);
    const fromClients = app === 'api' ? await openLink(`clients>api-${index}`) : null;
    if (fromClients !== null) urls.push(`http://127.0.0.1:${fromClients.port}/mcp`);
    apps.set(
      name,
      manageApp({
        app,
        environment: environmentOf({
          databaseUrl: withPort(postgres.url, toPostgres.port),
          redisUrl: `redis://127.0.0.1:${toRedis.port}`,
          directory,
        }),
        logFile: path.join(options.logDirectory, `${name}.log`),
        onPort: (port) => fromClients?.setTarget(port),
      }),
    );
  };
  for (let index = 0; index < options.workers; index += 1) await add('worker', index);
  for (let index = 0; index < options.apis; index += 1) await add('api', index);

  const routePostgres = (port: number | null): void => {
    for (const link of linksTo('>postgres')) link.setTarget(port);
  };
  const routeRedis = (port: number | null): void => {
    for (const link of linksTo('>redis')) link.setTarget(port);
  };
  routePostgres(postgres.port);
  routeRedis(redis.port);
  const late: AppName[] = [];
  stops.push(() =>
    Promise.all(
      [...apps].map(async ([name, app]) => {
        if (!(await app.stop())) late.push(name);
      }),
    ),
  );
  await Promise.all([...apps.values()].map((app) => app.start()));
  return {
    postgres,
    redis,
    apps,
    urls,
    principals,
    greedy,
    ledger,
    linksOf: (name) => {
      if (name.startsWith('*')) return linksTo(name.slice(1));
      const link = [...links].find(([known]) => known === name)?.[1];
      return link === undefined ? [] : [link];
    },
    routePostgres,
    routeRedis,
    stop: async () => {
      await stopAll();
      return late;
    },
  };
}

function environmentOf(options: {
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly directory: string;
}): Record<string, string> {
  return {
    DATABASE_URL: options.databaseUrl,
    REDIS_URL: options.redisUrl,
    DATA_DIR: path.join(options.directory, 'data'),
    HOST: '127.0.0.1',
    PORT: '0',
    AUTH: 'api-key',
    PLUGINS: PLUGIN,
    BUNDLED_PLUGINS: 'false',
    LEASE_MS: String(LEASE_MS),
    SHUTDOWN_GRACE_MS: '1000',
    POLL_INTERVAL_MS: '500',
    // Plain calls are checked by their results, however long they take.
    JOB_TOOLS: 'never',
    KEEP_ALIVE_MS: '5000',
    WORKER_CONCURRENCY: '16',
    LOG_LEVEL: 'info',
    NODE_ENV: 'production',
    NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
  };
}

async function createPrincipals(
  url: string,
  count: number,
  name = 'chaos',
): Promise<ChaosPrincipal[]> {
  const database = openDatabase({ url, log: silentLogger, poolSize: 1 });
  try {
    const principals: ChaosPrincipal[] = [];
    for (let index = 0; index < count; index += 1) {
      const key = `ls_${randomBytes(32).toString('base64url')}`;
      const { principal } = await database.apiKeyStore.create({
        principal: `${name}-${index}`,
        name: `${name}-${index}`,
        prefix: key.slice(0, 8),
        hash: createHash('sha256').update(key).digest(),
        scopes: ALL_SCOPES,
        limits: null,
        expiresInMs: null,
      });
      principals.push({ id: principal, key });
    }
    return principals;
  } finally {
    await database.close();
  }
}

function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.port = String(port);
  return changed.href;
}
