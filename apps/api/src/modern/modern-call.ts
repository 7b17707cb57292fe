import type { Access, Identity, JsonObject, TaskId } from '@longshore/core';
import type { Envelope, ModernMethod, RequestHeaders } from '@longshore/protocol';
import type { ModernExchange } from './modern-exchange.ts';

/** One request of the modern era: everything a method gets to know about it beside its checked params. */
export interface ModernCall {
  readonly method: ModernMethod;
  /** As sent, `_meta` and all. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: RequestHeaders;
  readonly envelope: Envelope;
  readonly identity: Identity;
  readonly access: Access;
  readonly delivery: ModernExchange;
  /** The row that an earlier round of this request left waiting for answers. */
  readonly resumed: ResumedRow | null;
  /** Set by a method whose answer is of another type than `complete`: then this is sent, as it is. */
  answer: JsonObject | null;
}

export interface ResumedRow {
  readonly taskId: TaskId;
  /** Log messages up to here went out on the streams of earlier rounds. */
  readonly logsAfter: string;
}
