import type { Identity, PrincipalKind } from './principal.ts';

export interface IdentityStore {
  /** The identity of a principal, made when it is met for the first time. */
  ensure(kind: PrincipalKind, subject: string): Promise<Identity>;
}

/** Secrets that all replicas share and nobody has to configure. */
export interface SecretStore {
  /** The stored secret of this name; `candidate` becomes it when there is none. */
  ensure(name: string, candidate: string): Promise<string>;
}
