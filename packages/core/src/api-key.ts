import type { AuthBindingId } from './brand.ts';
import type { PrincipalLimits } from './limits.ts';
import type { Identity } from './principal.ts';

/** What of an API key can be shown: never its secret. */
export interface ApiKey {
  readonly id: string;
  readonly authBindingId: AuthBindingId;
  /** What identifies the principal: keys with the same one share their tasks. */
  readonly principal: string;
  readonly name: string;
  /** The first characters of the key, by which its owner knows it. */
  readonly prefix: string;
  readonly scopes: readonly string[];
  readonly limits: Partial<PrincipalLimits>;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  /** Right to about a minute. */
  readonly lastUsedAt: Date | null;
}

export interface NewApiKey {
  /** Null: the key is a principal of its own. */
  readonly principal: string | null;
  readonly name: string;
  readonly prefix: string;
  /** SHA-256 of the whole key. */
  readonly hash: Uint8Array;
  readonly scopes: readonly string[];
  readonly limits: Partial<PrincipalLimits> | null;
  /** Milliseconds from now; null: it does not expire. */
  readonly expiresInMs: number | null;
}

/** A key that is good now. */
export interface ValidApiKey extends Identity {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly limits: Partial<PrincipalLimits>;
  /** Milliseconds; null: it does not expire. */
  readonly expiresInMs: number | null;
}

export interface ApiKeyStore {
  create(key: NewApiKey): Promise<ApiKey>;
  /** All keys, also those that expired or were revoked, oldest first. */
  list(): Promise<ApiKey[]>;
  /** @returns null when there is no such key; a key that was revoked before stays as it is */
  revoke(id: string): Promise<ApiKey | null>;
  /**
   * The key of this hash, when it is neither expired nor revoked. Does the same work whether it is or not.
   * Also notes that the key is in use, at most once a minute.
   */
  findValid(hash: Uint8Array): Promise<ValidApiKey | null>;
}
