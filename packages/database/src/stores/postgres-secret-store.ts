import type { SecretStore } from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';

export class PostgresSecretStore implements SecretStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  /** One statement (INSERT … ON CONFLICT), so of two processes that come at once both get what the first one stored. */
  async ensure(name: string, candidate: string): Promise<string> {
    const { value } = await this.#runner.ask('ensure-secret', (prisma) =>
      prisma.serverSecret.upsert({
        where: { name },
        create: { name, value: candidate },
        update: { name },
        select: { value: true },
      }),
    );
    return value;
  }
}
