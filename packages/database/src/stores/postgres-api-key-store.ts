import { randomUUID } from 'node:crypto';
import type { ApiKey, ApiKeyStore, NewApiKey, ValidApiKey } from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { createApiKey } from '../statements/create-api-key.ts';
import { ensurePrincipal } from '../statements/ensure-principal.ts';
import { findValidApiKey } from '../statements/find-valid-api-key.ts';
import { listApiKeys } from '../statements/list-api-keys.ts';
import { revokeApiKey } from '../statements/revoke-api-key.ts';

export class PostgresApiKeyStore implements ApiKeyStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async create(key: NewApiKey): Promise<ApiKey> {
    const id = randomUUID();
    return this.#runner.transaction('create-api-key', async (runner) => {
      const principalId = await ensurePrincipal(runner, 'api_key', key.principal ?? id);
      return createApiKey(runner, id, principalId, key);
    });
  }

  async list(): Promise<ApiKey[]> {
    return listApiKeys(this.#runner);
  }

  async revoke(id: string): Promise<ApiKey | null> {
    return isUuid(id) ? revokeApiKey(this.#runner, id) : null;
  }

  async findValid(hash: Uint8Array): Promise<ValidApiKey | null> {
    return findValidApiKey(this.#runner, hash);
  }
}
