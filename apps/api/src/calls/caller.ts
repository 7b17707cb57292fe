import type {
  ClientAbilities,
  Era,
  Identity,
  JsonObject,
  LogLevel,
  NewTask,
  ProgressToken,
  RequestId,
  SessionId,
} from '@longshore/core';

/** Who makes a request: what methods of both eras get to know about it. */
export interface Caller extends Identity {
  readonly era: Era;
  /** Null in the modern era, which has no sessions. */
  readonly sessionId: SessionId | null;
  readonly requestId: RequestId;
  readonly progressToken: ProgressToken | null;
  readonly abilities: ClientAbilities;
  /** Least severe log message the client wants with this request; null: none. */
  readonly logLevel: LogLevel | null;
  /**
   * Commits a row without a handle and waits for its end. Questions, progress and logs reach the client
   * the way its era has for them: in the modern one the answer may be an `input_required` result.
   *
   * @returns the answer of the request; null when nobody waits for it any more
   * @throws {StoredOutcomeError} when the outcome is a JSON-RPC error
   */
  readonly holdRow: (task: Omit<NewTask, 'enqueue'>) => Promise<JsonObject | null>;
}
