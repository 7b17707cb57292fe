import type { AuthBindingId, PrincipalId, SessionId } from './brand.ts';
import type { DeclaredCapabilities } from './client-abilities.ts';
import type { LogLevel } from './log-level.ts';

/** How somebody proved who they are; `anonymous` is whoever comes over loopback without a session. */
export type PrincipalKind = 'anonymous' | 'anonymous_session' | 'api_key' | 'oauth' | 'stdio';

/** Who makes a request. Every task read and write carries `principalId` in its WHERE clause. */
export interface Identity {
  readonly principalId: PrincipalId;
  readonly authBindingId: AuthBindingId;
}

/** What a client calls itself, 256 characters each. */
export interface ClientInfo {
  readonly name: string;
  readonly version: string;
}

/** A legacy session as stored: a few kilobytes, whatever its client has sent. */
export interface Session extends Identity {
  readonly id: SessionId;
  readonly protocolVersion: string;
  readonly clientInfo: ClientInfo;
  readonly clientCapabilities: DeclaredCapabilities;
  /** Least severe log message the client wants (logging/setLevel); null: it has not said. */
  readonly logLevel: LogLevel | null;
  /** URIs of the resources whose changes the client wants to hear of. */
  readonly resourceSubscriptions: readonly string[];
}
