import path from 'node:path';
import type { Config } from '@longshore/config';
import {
  ALL_SCOPES,
  type ApiKey,
  CREDENTIALS_TOPIC,
  LongshoreError,
  type PrincipalLimits,
  silentLogger,
} from '@longshore/core';
import { type Database, openDatabase } from '@longshore/database';
import { assertMigrated } from '@longshore/database/migrator';
import { findEmbeddedPostgres } from '@longshore/embedded';
import { openMessaging } from '@longshore/queue';
import { newKeySecret } from '@longshore/runtime';
import { embeddedDirectory } from '../database/embedded-directory.ts';
import { describeKey, describeKeys, toJson } from './show-keys.ts';

/** What `longshore keys` was asked for. */
export type KeysAction =
  | {
      readonly kind: 'create';
      readonly name: string;
      /** Empty: all. */
      readonly scopes: readonly string[];
      readonly expiresInMs: number | null;
      readonly principal: string | null;
      /** Empty: those of the configuration. */
      readonly limits: Partial<PrincipalLimits>;
      readonly json: boolean;
    }
  | { readonly kind: 'list'; readonly json: boolean }
  | { readonly kind: 'revoke'; readonly id: string; readonly json: boolean };

export interface KeysCommandOptions {
  readonly config: Config;
  /** Writes to the user. */
  readonly print: (line: string) => void;
}

/**
 * Creates, lists and revokes API keys.
 *
 * @returns the exit code
 * @throws {LongshoreError} CONFIG_INVALID when no database is there · DATABASE_UNAVAILABLE
 */
export async function keysCommand(
  action: KeysAction,
  options: KeysCommandOptions,
): Promise<number> {
  const url = databaseUrl(options.config);
  // What the stores would log is for operators of processes that stay; here an error is thrown and shown.
  await assertMigrated({ url, log: silentLogger });
  const database = openDatabase({ url, log: silentLogger, poolSize: 1 });
  try {
    switch (action.kind) {
      case 'create':
        return await create(action, database, options);
      case 'list': {
        const keys = await database.apiKeyStore.list();
        options.print(action.json ? JSON.stringify(keys.map(toJson), null, 2) : describeKeys(keys));
        return 0;
      }
      case 'revoke':
        return await revoke(action, database, url, options);
    }
  } finally {
    await database.close();
  }
}

async function create(
  action: Extract<KeysAction, { kind: 'create' }>,
  database: Database,
  { print }: KeysCommandOptions,
): Promise<number> {
  const { secret, prefix, hash } = newKeySecret();
  const key = await database.apiKeyStore.create({
    principal: action.principal,
    name: action.name,
    prefix,
    hash,
    scopes: action.scopes.length === 0 ? ALL_SCOPES : action.scopes,
    limits: Object.keys(action.limits).length === 0 ? null : action.limits,
    expiresInMs: action.expiresInMs,
  });
  if (action.json) print(JSON.stringify({ ...toJson(key), key: secret }, null, 2));
  else print(`${describeKey(key)}\n\n${secret}\n\nThis is the key. It is shown this once.`);
  return 0;
}

/** Committed first: should the message be lost, APIs notice within the seconds they trust a look-up. */
async function revoke(
  action: Extract<KeysAction, { kind: 'revoke' }>,
  database: Database,
  url: string,
  { config, print }: KeysCommandOptions,
): Promise<number> {
  const key = await database.apiKeyStore.revoke(action.id);
  if (key === null) {
    throw new LongshoreError('INVALID_PARAMS', `there is no key ${action.id}: see keys list`);
  }
  const wasTold = await tell(key, url, config);
  if (action.json) print(JSON.stringify(toJson(key), null, 2));
  else print(`${describeKey(key)}\n\nRevoked.${wasTold ? '' : ' APIs notice within 5 s.'}`);
  return 0;
}

async function tell(key: ApiKey, url: string, config: Config): Promise<boolean> {
  const { bus } = openMessaging({
    redisUrl: config.REDIS_URL,
    databaseUrl: url,
    log: silentLogger,
  });
  try {
    await bus.start();
    await bus.publish(CREDENTIALS_TOPIC, {
      kind: 'credential-revoked',
      authBindingId: key.authBindingId,
    });
    return true;
  } catch {
    return false;
  } finally {
    await bus.stop();
  }
}

function databaseUrl(config: Config): string {
  const url =
    config.DATABASE_URL ?? findEmbeddedPostgres(embeddedDirectory(path.resolve(config.DATA_DIR)));
  if (url !== null) return url;
  throw new LongshoreError(
    'CONFIG_INVALID',
    `no database runs under DATA_DIR ${path.resolve(config.DATA_DIR)}: start longshore first, or set DATABASE_URL`,
  );
}
