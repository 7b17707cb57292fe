import path from 'node:path';
import type { Mode } from '@longshore/testing';
import { type SpawnedProcess, spawnApp } from '@longshore/testing/processes';
import { createTestDatabase, createTestRedis } from '@longshore/testing/servers';

export const FIXTURE_TOOLS = path.join(import.meta.dirname, '..', 'fixtures', 'fixture-tools.js');

export const RESULT_TOOLS = path.join(import.meta.dirname, '..', 'fixtures', 'result-tools.js');

/** Real processes over a database of their own. */
export interface Stack {
  readonly environment: Readonly<Record<string, string>>;
  readonly apis: SpawnedProcess[];
  /** URLs of the MCP endpoints, one for each API. */
  readonly urls: string[];
  readonly workers: SpawnedProcess[];
  /** @param environment over that of the stack */
  startApi(environment?: Readonly<Record<string, string>>): Promise<string>;
  /** @param environment over that of the stack */
  startWorker(environment?: Readonly<Record<string, string>>): Promise<SpawnedProcess>;
  stop(): Promise<void>;
}

export interface StackOptions {
  readonly mode: Mode;
  readonly apis?: number;
  readonly workers?: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** Makes what APIs get for the URL of the database. */
  readonly apiDatabase?: (url: string) => Promise<string>;
}

export async function startStack(options: StackOptions): Promise<Stack> {
  const database = await createTestDatabase();
  const redis = options.mode === 'redis' ? await createTestRedis() : null;
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis?.url ?? '',
    PORT: '0',
    PLUGINS: FIXTURE_TOOLS,
    BUNDLED_PLUGINS: 'false',
    LEASE_MS: '1000',
    LOG_LEVEL: 'debug',
    ...options.environment,
  };
  const apiDatabase = await (options.apiDatabase?.(database.url) ?? database.url);
  const stack: Stack = {
    environment,
    apis: [],
    urls: [],
    workers: [],
    startApi: async (own = {}) => {
      const env = { ...environment, DATABASE_URL: apiDatabase, ...own };
      const api = await spawnApp('api', [], { env, ready: /api ready/ });
      const line = await api.waitForLine(/api ready/);
      const url = /"url":"([^"]+)"/.exec(line)?.[1];
      if (url === undefined) throw new Error(`no URL in: ${line}`);
      stack.apis.push(api);
      stack.urls.push(url);
      return url;
    },
    startWorker: async (own = {}) => {
      const env = { ...environment, ...own };
      const worker = await spawnApp('worker', [], { env, ready: /worker ready/ });
      stack.workers.push(worker);
      return worker;
    },
    stop: async () => {
      await Promise.all(
        [...stack.apis, ...stack.workers].map((app) => (app.isRunning() ? app.kill() : app.exited)),
      );
      await redis?.drop();
      await database.drop();
    },
  };
  for (let worker = 0; worker < (options.workers ?? 1); worker += 1) await stack.startWorker();
  for (let api = 0; api < (options.apis ?? 1); api += 1) await stack.startApi();
  return stack;
}
