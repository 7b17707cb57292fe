import type { SecretStore } from '@longshore/core';
import * as z from 'zod';
import type { SqlRunner } from '../connection/sql-runner.ts';
import { Prisma } from '../generated/client.ts';

const Row = z.object({ value: z.string() });

export class PostgresSecretStore implements SecretStore {
  readonly #runner: SqlRunner;

  constructor(runner: SqlRunner) {
    this.#runner = runner;
  }

  /** Of two processes that come at once both get what the first one stored. Locks the one row. */
  async ensure(name: string, candidate: string): Promise<string> {
    const [secret] = await this.#runner.run({
      name: 'ensure-secret',
      row: Row,
      sql: Prisma.sql`
        INSERT INTO server_secrets AS s (name, value) VALUES (${name}, ${candidate})
        ON CONFLICT (name) DO UPDATE SET name = excluded.name
        RETURNING s.value`,
    });
    if (secret === undefined) throw new Error('ensure-secret returned no row');
    return secret.value;
  }
}
