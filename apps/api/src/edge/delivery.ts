import type { RequestId } from '@longshore/core';
import type { ServerMessage } from '@longshore/protocol';
import type { RecordedLog } from './request-log.ts';

/**
 * Why a request's signal fired. `max-age`: its connection is as old as one may be. `superseded`: the client
 * has come back for it on another one.
 */
export type StopReason = 'disconnected' | 'cancelled' | 'shutdown' | 'max-age' | 'superseded';

/** The way back to the client while its request is being answered. */
export interface Delivery {
  readonly requestId: RequestId;
  /** Lines of this request: they carry its id, session and principal. */
  readonly log: RecordedLog;
  /** Fires with a `StopReason` when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Tells the exchange that the answer takes time: it opens the stream, so that nothing times out. */
  hold(): void;
  /** Sends a message that belongs to this request, before its answer. Dropped when it can not be sent. */
  notify(message: ServerMessage): void;
  /** The client withdrew the request: it gets no answer. */
  withdraw(): void;
}

/** Names the events of a stream, in the order they are sent, so that the client can come back for the rest. */
export interface EventNames {
  /** @returns null when the event can have no name */
  next(): string | null;
  /** For the last event: a client that comes back with it is told that there is nothing more. */
  last(): string | null;
}

/** The way back to a legacy client, which can be asked questions and may come back on another connection. */
export interface ResumableDelivery extends Delivery {
  /** Whether messages reach the client before the answer; one that takes plain JSON only gets none. */
  readonly streams: boolean;
  hold(names?: EventNames): void;
  /** The client has come back for the answer on another connection. */
  supersede(): void;
}
