import type { Identity, IdentityStore, PrincipalKind } from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { ensureBinding } from '../statements/ensure-binding.ts';
import { ensurePrincipal } from '../statements/ensure-principal.ts';

export class PostgresIdentityStore implements IdentityStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async ensure(kind: PrincipalKind, subject: string): Promise<Identity> {
    return this.#runner.transaction('ensure-identity', async (runner) => {
      const principalId = await ensurePrincipal(runner, kind, subject);
      return { principalId, authBindingId: await ensureBinding(runner, principalId, kind) };
    });
  }
}
