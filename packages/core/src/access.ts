import type { PrincipalLimits } from './limits.ts';
import type { Identity } from './principal.ts';

/** What a request is allowed, by the credential that came with it. */
export interface Access {
  readonly identity: Identity;
  /** Who owns the legacy sessions of this caller; null: each is a principal of its own. */
  readonly sessionIdentity: Identity | null;
  /** Null: everything is allowed. */
  readonly scopes: readonly string[] | null;
  /** Where the credential differs from the limits of the configuration. */
  readonly limits: Partial<PrincipalLimits>;
  /** The request came over stdio, which has no headers that could mirror arguments. */
  readonly overStdio?: true;
}
