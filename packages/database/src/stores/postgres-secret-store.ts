import type { SecretStore } from '@longshore/core';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { ensureSecret } from '../statements/ensure-secret.ts';

export class PostgresSecretStore implements SecretStore {
  readonly #runner: SqlRunner;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  async ensure(name: string, candidate: string): Promise<string> {
    return ensureSecret(this.#runner, name, candidate);
  }
}
