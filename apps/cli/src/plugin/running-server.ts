import { homedir } from 'node:os';
import path from 'node:path';
import type { Config } from '@longshore/config';
import { findEmbeddedPostgres } from '@longshore/embedded';
import { embeddedDirectory } from '../database/embedded-directory.ts';
import { differingSettings, findEngine, settingsOf } from '../engine/engine-address.ts';

/** What a worker needs to know to work beside others. */
export interface RunningServer {
  readonly databaseUrl: string;
  /** Absolute, as that of the others: files of tools are in it. */
  readonly dataDir: string;
  /** The MCP endpoint; null: it is not known here. */
  readonly url: string | null;
  /** Variables of which the others have another value, and on which all have to agree. */
  readonly differing: readonly string[];
}

/** Workers that differ in these do not find each other's jobs, leases or files. */
const SHARED = new Set([
  ...['REDIS_URL', 'LEASE_MS', 'FILE_STORE'],
  ...['S3_ENDPOINT', 'S3_REGION', 'S3_BUCKET'],
]);

const DEFAULT_DATA_DIR = '.longshore';

/**
 * Finds what a new worker is to work for: DATABASE_URL, else what `start` or `stdio` runs in DATA_DIR (unless that is
 * set, also in the folders above, for who works in the folder of the plugin) or in `~/.longshore`.
 *
 * @returns null: nothing runs, or it is not ready
 */
export function findServer(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
  currentDirectory: string,
): RunningServer | null {
  const { DATABASE_URL: databaseUrl } = config;
  if (databaseUrl !== null) {
    const dataDir = path.resolve(currentDirectory, config.DATA_DIR);
    return { databaseUrl, dataDir, url: null, differing: [] };
  }
  for (const dataDir of directories(config, currentDirectory)) {
    const engine = findEngine(dataDir);
    const url = findEmbeddedPostgres(embeddedDirectory(dataDir));
    if (engine === null || url === null) continue;
    const differing = differingSettings(engine.settings, settingsOf(env));
    return {
      databaseUrl: url,
      dataDir,
      url: engine.url,
      differing: differing.filter((name) => SHARED.has(name)),
    };
  }
  return null;
}

/** Where it is looked for, nearest first. */
function directories({ DATA_DIR }: Config, currentDirectory: string): string[] {
  const home = path.join(homedir(), DEFAULT_DATA_DIR);
  if (DATA_DIR !== DEFAULT_DATA_DIR) return [path.resolve(currentDirectory, DATA_DIR), home];
  const found: string[] = [];
  for (let directory = currentDirectory; ; directory = path.dirname(directory)) {
    found.push(path.join(directory, DEFAULT_DATA_DIR));
    if (directory === path.dirname(directory)) return [...found, home];
  }
}
