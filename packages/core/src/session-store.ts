import type { PrincipalId, SessionId } from './brand.ts';
import type { DeclaredCapabilities } from './client-abilities.ts';
import type { LogLevel } from './log-level.ts';
import type { ClientInfo, Identity, Session } from './principal.ts';

export interface NewSession {
  readonly protocolVersion: string;
  readonly clientInfo: ClientInfo;
  readonly clientCapabilities: DeclaredCapabilities;
  /** Who is behind it; null: nobody known, so the session becomes a principal of its own. */
  readonly identity: Identity | null;
}

export interface SessionStore {
  create(session: NewSession): Promise<Session>;
  /**
   * Deletes sessions of an owner that has `limit` or more, those that were idle for longest and of which nobody
   * noted for two minutes that they are in use. Their tasks stay until they expire.
   *
   * @param owner null: all that are principals of their own
   * @returns how many there still are
   */
  makeRoom(owner: PrincipalId | null, limit: number): Promise<number>;
  /** Notes that the sessions are in use, as `find` does. */
  touch(ids: readonly SessionId[]): Promise<void>;
  /**
   * Also notes that the session is in use.
   *
   * @param owner whose session it must be; null: anybody's
   * @returns null when unknown, ended or another principal's, which takes the same work
   */
  find(id: SessionId, owner: PrincipalId | null): Promise<Session | null>;
  /** @returns false when the session is unknown or ended */
  setLogLevel(id: SessionId, level: LogLevel): Promise<boolean>;
  /**
   * @param limit most subscriptions of one session
   * @returns false when the session is unknown or has that many already
   */
  subscribe(id: SessionId, uri: string, limit: number): Promise<boolean>;
  unsubscribe(id: SessionId, uri: string): Promise<void>;
  /** @returns false when it was unknown or ended already */
  end(id: SessionId): Promise<boolean>;
  /** Deletes sessions nobody used for `idleMs`. Their tasks stay until they expire. */
  deleteIdle(idleMs: number, limit: number): Promise<number>;
}
