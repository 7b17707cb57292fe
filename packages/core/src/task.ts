import type { AuthBindingId, PrincipalId, SessionId, TaskId } from './brand.ts';
import type { ClientAbilities } from './client-abilities.ts';
import type { JsonObject } from './json.ts';
import type { LogLevel } from './log-level.ts';
import type { Outcome, OutcomeKind } from './outcome.ts';

/** `legacy`: 2025-11-25 and the older revisions it negotiates; `modern`: 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** A client's own handle for progress notifications (2025-11-25 basic/utilities/progress). */
export type ProgressToken = string | number;

/** A JSON-RPC request id. */
export type RequestId = string | number;

export interface Progress {
  /** Strictly increasing over the whole life of the task, attempts included. */
  readonly progress: number;
  readonly total: number | null;
  readonly message: string | null;
}

/** The requests of clients that workers run. Only `tools/call` may get a handle. */
export type RequestMethod = 'tools/call' | 'prompts/get' | 'resources/read' | 'completion/complete';

/** What a task is in the words of clients (2025-11-25 tasks, TaskStatus). */
export const TASK_STATUSES = [
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

/** A chunk of a batch is a task of its own, which only workers know. */
export const CHUNK_METHOD = 'longshore/chunk';

/** Everything that workers run. */
export type WorkMethod = RequestMethod | typeof CHUNK_METHOD;

/** What makes calls of one tool by one principal the same one, however often they are sent. */
export interface Idempotency {
  /** The client's own: 1 to 256 characters that can be stored. */
  readonly key: string;
  /** Digest of the arguments: calls with the same key must agree in it. */
  readonly argumentsHash: string;
}

/** A task as it is handed to the store; the database adds its own times. */
export interface NewTask {
  readonly id: TaskId;
  readonly principalId: PrincipalId;
  readonly authBindingId: AuthBindingId;
  readonly sessionId: SessionId | null;
  readonly era: Era;
  readonly requestMethod: RequestMethod;
  readonly requestId: RequestId;
  /** What the client can be asked while the request runs. */
  readonly abilities: ClientAbilities;
  /** Least severe log message that is kept for the client; null: none is. */
  readonly logLevel: LogLevel | null;
  /** True when the client got a handle: such tasks are shown by tasks/get, list, result and cancel. */
  readonly listed: boolean;
  /** Name of the tool or prompt; address (URI or template) of the resource. */
  readonly toolName: string;
  /** Of the tool whose schema the arguments were checked against (AnnouncedTool); null: any will do. */
  readonly toolFingerprint: string | null;
  /** Arguments of the tool; params of any other request. */
  readonly arguments: JsonObject;
  readonly progressToken: ProgressToken | null;
  readonly queue: string;
  /**
   * How many tasks may run at once over all workers: of this principal, of this tool, of this queue. Null or left
   * out: as many as there are seats. A task with a limit is brought by the relay, which knows what runs.
   */
  readonly principalLimit?: number | null | undefined;
  readonly toolLimit?: number | null | undefined;
  readonly queueLimit?: number | null | undefined;
  /** Failures allowed before the error becomes the outcome; at least 1. */
  readonly maxAttempts: number;
  /** Longest run of one attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** From creation until the task is failed whatever it does, in milliseconds; null: no deadline. */
  readonly deadlineMs: number | null;
  /** From creation until the task may be deleted, in milliseconds. */
  readonly ttlMs: number;
  /** True when a job is added right after the commit; false leaves that to the relay. */
  readonly enqueue: boolean;
  /** Set when the call can not run at all, such as arguments that fail the tool's schema. */
  readonly outcome: Outcome | null;
  /** Where it was accepted in a distributed trace, as text; null or left out: it is not traced. */
  readonly traceContext?: string | null;
  /** Left out: every call is a task of its own. */
  readonly idempotency?: Idempotency | undefined;
}

interface TaskBase {
  readonly id: TaskId;
  /** False: the client has no handle (yet), it waits for the answer. */
  readonly listed: boolean;
  readonly requestId: RequestId;
  readonly logLevel: LogLevel | null;
  readonly sessionId: SessionId | null;
  readonly era: Era;
  readonly toolName: string;
  readonly progressToken: ProgressToken | null;
  readonly progress: Progress | null;
  readonly statusMessage: string | null;
  /** A worker has it; what works and is not held waits for one. */
  readonly isHeld: boolean;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly ttlMs: number | null;
}

/** A task as its owner may see it. `state` is ours; the wire status is derived from it per era. */
export type Task = TaskBase &
  (
    | { readonly state: 'working' | 'input_required' }
    | { readonly state: 'finished'; readonly outcomeKind: OutcomeKind }
    | { readonly state: 'cancelled' }
  );

export type TaskState = Task['state'];

export function isTerminal(task: Task): boolean {
  return task.state === 'finished' || task.state === 'cancelled';
}

/** A task with what its tool was called with. */
export interface TaskCall {
  readonly task: Task;
  readonly arguments: JsonObject;
}

/** Something that has happened to a task: `task_events` in prisma/schema.prisma says what there is. */
export interface TaskEvent {
  readonly kind: string;
  readonly attempt: number | null;
  readonly data: JsonObject | null;
  readonly at: Date;
}

/** A task with all that is kept of it for its owner. */
export interface TaskHistory extends TaskCall {
  /** The latest one; 0: none has begun. */
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Attempts whose worker died. */
  readonly lost: number;
  /** The same of what it has started and has not ended, such as the chunks of a batch. */
  readonly lostBelow: number;
  /** A worker had it and is silent since its lease is over. */
  readonly isLost: boolean;
  /**
   * How long the worker that has it may go on being silent, in milliseconds; of those that run what it has started, the one
   * that was silent longest. Null: nobody has it, nor what it has started.
   */
  readonly leaseLeftMs: number | null;
  /** When the next attempt is due; null: at once. */
  readonly runAfter: Date | null;
  /** Oldest first, the latest ones. */
  readonly events: readonly TaskEvent[];
}

/** A task with what it produced, when it has produced it. */
export interface TaskWithOutcome {
  readonly task: Task;
  readonly outcome: Outcome | null;
}
