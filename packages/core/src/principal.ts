import type { AuthBindingId, PrincipalId, SessionId } from './brand.ts';
import type { LogLevel } from './log-level.ts';

/** How somebody proved who they are; `anonymous` is whoever comes over loopback without a session. */
export type PrincipalKind = 'anonymous' | 'anonymous_session' | 'api_key' | 'oauth' | 'stdio';

/** Who makes a request. Every task read and write carries `principalId` in its WHERE clause. */
export interface Identity {
  readonly principalId: PrincipalId;
  readonly authBindingId: AuthBindingId;
}

/** A legacy session as stored. */
export interface Session extends Identity {
  readonly id: SessionId;
  readonly protocolVersion: string;
  readonly clientInfo: Readonly<Record<string, unknown>>;
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** Least severe log message the client wants (logging/setLevel); null: it has not said. */
  readonly logLevel: LogLevel | null;
  /** URIs of the resources whose changes the client wants to hear of. */
  readonly resourceSubscriptions: readonly string[];
}
