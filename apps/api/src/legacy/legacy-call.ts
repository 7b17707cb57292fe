import type { Access, Session } from '@longshore/core';
import type { HandshakeVersion } from '@longshore/protocol';
import type { ResumableDelivery } from '../edge/delivery.ts';

/** Who calls, through what, and how the answer goes back: what a method gets beside its params. */
export interface LegacyCall {
  /** Null: it is yet to be opened. */
  readonly session: Session | null;
  readonly access: Access;
  readonly delivery: ResumableDelivery;
  /** The revision that its transport is of; null: the client's wish counts. */
  readonly revision: HandshakeVersion | null;
  /** The session that `initialize` opened. */
  openedSession: Session | null;
}
