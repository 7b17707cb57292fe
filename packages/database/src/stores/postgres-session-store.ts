import { randomUUID } from 'node:crypto';
import type {
  AuthBindingId,
  LogLevel,
  NewSession,
  PrincipalId,
  Session,
  SessionId,
  SessionStore,
} from '@longshore/core';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { createSession } from '../statements/create-session.ts';
import { deleteIdleSessions } from '../statements/delete-idle-sessions.ts';
import { endSession } from '../statements/end-session.ts';
import { evictSessions } from '../statements/evict-sessions.ts';
import { findSession } from '../statements/find-session.ts';
import { forgetPrincipals } from '../statements/forget-principals.ts';
import { setLogLevel } from '../statements/set-log-level.ts';
import { subscribeResource } from '../statements/subscribe-resource.ts';
import { touchSessions } from '../statements/touch-sessions.ts';
import { unsubscribeResource } from '../statements/unsubscribe-resource.ts';

/**
 * Sessions in Postgres, so that any replica knows them. An anonymous session's principal goes with it
 * unless it owns tasks; then it goes with the last of them.
 */
export class PostgresSessionStore implements SessionStore {
  readonly #runner: PoolRunner;

  constructor(runner: PoolRunner) {
    this.#runner = runner;
  }

  async create(session: NewSession): Promise<Session> {
    const { protocolVersion, clientInfo, clientCapabilities, identity } = session;
    const created: Session = {
      id: randomUUID() as SessionId,
      principalId: identity?.principalId ?? (randomUUID() as PrincipalId),
      authBindingId: identity?.authBindingId ?? (randomUUID() as AuthBindingId),
      protocolVersion,
      clientInfo,
      clientCapabilities,
      logLevel: null,
      resourceSubscriptions: [],
    };
    await createSession(this.#runner, created, identity === null);
    return created;
  }

  async makeRoom(owner: PrincipalId | null, limit: number): Promise<number> {
    return this.#runner.transaction('make-room', async (runner) => {
      const { left, owners } = await evictSessions(runner, owner, limit);
      if (owners.length > 0) await forgetPrincipals(runner, owners);
      return left;
    });
  }

  async touch(ids: readonly SessionId[]): Promise<void> {
    await touchSessions(this.#runner, ids);
  }

  async find(id: SessionId, owner: PrincipalId | null): Promise<Session | null> {
    return isUuid(id) ? findSession(this.#runner, id, owner) : null;
  }

  async setLogLevel(id: SessionId, level: LogLevel): Promise<boolean> {
    return isUuid(id) && setLogLevel(this.#runner, id, level);
  }

  async subscribe(id: SessionId, uri: string, limit: number): Promise<boolean> {
    return isUuid(id) && subscribeResource(this.#runner, id, uri, limit);
  }

  async unsubscribe(id: SessionId, uri: string): Promise<void> {
    if (isUuid(id)) await unsubscribeResource(this.#runner, id, uri);
  }

  async end(id: SessionId): Promise<boolean> {
    if (!isUuid(id)) return false;
    return this.#runner.transaction('end-session', async (runner) => {
      const owner = await endSession(runner, id);
      if (owner === null) return false;
      await forgetPrincipals(runner, [owner]);
      return true;
    });
  }

  async deleteIdle(idleMs: number, limit: number): Promise<number> {
    return this.#runner.transaction('delete-idle-sessions', async (runner) => {
      const owners = await deleteIdleSessions(runner, idleMs, limit);
      if (owners.length > 0) await forgetPrincipals(runner, owners);
      return owners.length;
    });
  }
}
