import { createHash, randomBytes } from 'node:crypto';
import { ALL_SCOPES, type PrincipalLimits, silentLogger } from '@longshore/core';
import { openDatabase } from '@longshore/database';
import { spawnApp } from '@longshore/testing/processes';
import type { Stack } from './stack.ts';

export interface CreatedKey {
  readonly id: string;
  readonly key: string;
  readonly principal: string;
}

/** Makes a key that may do everything, unless `scopes` are given. */
export async function createKey(
  stack: Stack,
  options: {
    principal?: string;
    scopes?: readonly string[];
    limits?: Partial<PrincipalLimits>;
  } = {},
): Promise<CreatedKey> {
  const { DATABASE_URL: url = '' } = stack.environment;
  const database = openDatabase({ url, log: silentLogger, poolSize: 1 });
  try {
    const key = `ls_${randomBytes(32).toString('base64url')}`;
    const { id, principal } = await database.apiKeyStore.create({
      principal: options.principal ?? null,
      name: 'test',
      prefix: key.slice(0, 8),
      hash: createHash('sha256').update(key).digest(),
      scopes: options.scopes ?? ALL_SCOPES,
      limits: options.limits ?? null,
      expiresInMs: null,
    });
    return { id, key, principal };
  } finally {
    await database.close();
  }
}

/** Revokes a key by the command line, as operators do. @returns what it printed */
export async function revokeKey(stack: Stack, id: string): Promise<string> {
  const app = await spawnApp('cli', ['keys', 'revoke', id], { env: stack.environment });
  const { code } = await app.exited;
  const output = app.lines.join('\n');
  if (code !== 0) throw new Error(`keys revoke exited with ${code}: ${output}`);
  return output;
}
