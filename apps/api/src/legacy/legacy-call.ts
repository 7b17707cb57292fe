import type { Access, Session } from '@longshore/core';
import type { HandshakeVersion } from '@longshore/protocol';
import type { ResumableDelivery } from '../edge/delivery.ts';

/** Who calls, through what, and how the answer goes back: what a method gets beside its params. */
export class LegacyCall {
  readonly session: Session | null;
  readonly access: Access;
  readonly delivery: ResumableDelivery;
  /** The revision that its transport is of; null: the client's wish counts. */
  readonly revision: HandshakeVersion | null;
  /** HTTP status should the answer be an error and still go out as a plain body. */
  errorStatus = 200;
  /** For its Retry-After header; null: none. */
  retryAfterSeconds: number | null = null;
  /** Code of an error of ours, which goes out as it is: the SDK would make -32602 of -32002. */
  errorCode: number | null = null;
  /** The method found that nobody waits for its answer any more. */
  unanswered = false;
  /** The session that `initialize` opened. */
  openedSession: Session | null = null;

  constructor(
    session: Session | null,
    access: Access,
    delivery: ResumableDelivery,
    revision: HandshakeVersion | null = null,
  ) {
    this.session = session;
    this.access = access;
    this.delivery = delivery;
    this.revision = revision;
  }
}
