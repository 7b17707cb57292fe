import type {
  Access,
  AnnouncedTool,
  ClientAbilities,
  Era,
  EventCursor,
  Identity,
  JsonObject,
  LogLevel,
  Outcome,
  ProgressToken,
  RequestId,
  SessionId,
  Task,
  TaskId,
} from '@longshore/core';
import type { Delivery } from '../edge/delivery.ts';

/** Who makes a request: what methods of both eras get to know about it. */
export interface Caller extends Identity {
  readonly era: Era;
  /** Null in the modern era, which has no sessions. */
  readonly sessionId: SessionId | null;
  readonly requestId: RequestId;
  readonly progressToken: ProgressToken | null;
  /** What the client itself can be asked. */
  readonly abilities: ClientAbilities;
  /** Least severe log message the client wants with this request; null: none. */
  readonly logLevel: LogLevel | null;
  readonly access: Access;
  readonly delivery: Delivery;
  /** The row that an earlier round of this request left waiting for answers (2026-07-28 basic/patterns/mrtr). */
  readonly resumed: TaskId | null;
  /**
   * Counts the request among those that its principal holds open, where that is not done for all of them.
   *
   * @returns to be called at its end
   * @throws {LongshoreError} TOO_MANY_STREAMS
   */
  readonly takeHeld: () => () => void;
  /** Waits for a row without a handle. Questions, progress and logs reach the client the way its era has for them. */
  readonly wait: (row: HeldRow) => Promise<WaitEnd>;
}

/** A row that a request is held open for. */
export interface HeldRow {
  readonly id: TaskId;
  /** Of the session that created it: says where its messages are. */
  readonly sessionId: SessionId | null;
  /** Commits it, once its messages are heard; null: it is there already. */
  readonly submit: (() => Promise<unknown>) | null;
  /** It is that of the same call which was sent before. */
  readonly isKnown: boolean;
  /** It has an idempotency key: it belongs to every request with that key. */
  readonly isKeyed: boolean;
  /** How long the client is kept waiting for anything, in milliseconds; null: as long as it takes. */
  readonly limitMs: number | null;
  /** It becomes a task once its first questions are answered. */
  readonly becomesTask: boolean;
  /** The request is answered with the handle of a job when the client can not be asked what the tool asks. */
  readonly mayBecomeJob: boolean;
}

/** How a wait ends. */
export type WaitEnd =
  | { readonly kind: 'ended'; readonly outcome: Outcome | null }
  /** The client gets a handle: the time is over, or the wait can not go on. It has these questions already. */
  | { readonly kind: 'handle'; readonly asked: readonly EventCursor[] }
  /** Nobody waits for an answer any more, or there is one of another kind already. */
  | { readonly kind: 'none' };

/** Who calls a tool. */
export interface ToolCaller extends Caller {
  /** The client declares that it knows tasks. */
  readonly knowsTasks: boolean;
  /** @throws {LongshoreError} what the era refuses of this client and this tool */
  readonly planOf: (tool: AnnouncedTool) => CallPlan;
  /** Answers with a task. @returns null when the answer is one of another kind */
  readonly answerTask: (task: Task, tool: AnnouncedTool) => JsonObject | null;
}

/** How a call of a tool is answered, as its era has it. */
export interface CallPlan {
  /** `task`: with its handle, at once; `asks_first`: with its handle, once its first questions are answered; `held`: with its result. */
  readonly answer: 'task' | 'asks_first' | 'held';
  /** The client has asked for a task, and gets one also for a call that can not run. */
  readonly isAsked: boolean;
  /** As the client wants it; null: as usual. */
  readonly ttlMs: number | null;
  /** Why this client can not call it, a sentence for the model; null: it can. */
  readonly problem: string | null;
}
