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
import * as z from 'zod';
import type { PoolRunner } from '../connection/pool-runner.ts';
import { Prisma } from '../generated/client.ts';
import { principalIdColumn } from '../rows/columns.ts';
import { isUuid } from '../rows/is-uuid.ts';
import { deleteIdleSessions } from '../statements/delete-idle-sessions.ts';
import { evictSessions } from '../statements/evict-sessions.ts';
import { findSession } from '../statements/find-session.ts';
import { forgetPrincipals } from '../statements/forget-principals.ts';
import { subscribeResource } from '../statements/subscribe-resource.ts';
import { touchSessions } from '../statements/touch-sessions.ts';

const Owner = z.object({ principal_id: principalIdColumn });

/** WITH: the session is a principal of its own. */
const itself = (session: Session): Prisma.Sql => Prisma.sql`
  WITH context AS (
    INSERT INTO auth_contexts (id, kind, subject)
    VALUES (${session.principalId}::uuid, 'anonymous_session', ${session.id})
  ), binding AS (
    INSERT INTO auth_bindings (id, auth_context_id, method, scopes)
    VALUES (${session.authBindingId}::uuid, ${session.principalId}::uuid, 'anonymous_session', '{}')
  )`;

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
    await this.#runner.run({
      name: 'create-session',
      row: z.unknown(),
      sql: Prisma.sql`${identity === null ? itself(created) : Prisma.empty}
        INSERT INTO sessions (
          id, principal_id, auth_binding_id, protocol_version, client_info, client_capabilities
        ) VALUES (
          ${created.id}::uuid, ${created.principalId}::uuid, ${created.authBindingId}::uuid,
          ${protocolVersion}, ${JSON.stringify(clientInfo)}::json,
          ${JSON.stringify(clientCapabilities)}::json
        )`,
    });
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
    if (!isUuid(id)) return false;
    const set = await this.#runner.ask('set-log-level', (prisma) =>
      prisma.session.updateMany({ where: { id }, data: { logLevel: level } }),
    );
    return set.count > 0;
  }

  async subscribe(id: SessionId, uri: string, limit: number): Promise<boolean> {
    return isUuid(id) && subscribeResource(this.#runner, id, uri, limit);
  }

  async unsubscribe(id: SessionId, uri: string): Promise<void> {
    if (!isUuid(id)) return;
    await this.#runner.run({
      name: 'unsubscribe-resource',
      row: z.unknown(),
      sql: Prisma.sql`
        UPDATE sessions SET resource_subscriptions = array_remove(resource_subscriptions, ${uri})
        WHERE id = ${id}::uuid`,
    });
  }

  async end(id: SessionId): Promise<boolean> {
    if (!isUuid(id)) return false;
    return this.#runner.transaction('end-session', async (runner) => {
      // Of two at once the second finds nothing.
      const [ended] = await runner.run({
        name: 'end-session',
        row: Owner,
        sql: Prisma.sql`DELETE FROM sessions WHERE id = ${id}::uuid RETURNING principal_id`,
      });
      if (ended === undefined) return false;
      await forgetPrincipals(runner, [ended.principal_id]);
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
