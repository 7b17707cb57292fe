import type { PrincipalId, SessionId, TaskId, WorkerId } from './brand.ts';
import type { ClientAbilities } from './client-abilities.ts';
import type { AskedInput, InputAnswer, InputQuestion } from './input-request.ts';
import type { JsonObject, JsonValue } from './json.ts';
import type { LogLevel } from './log-level.ts';
import type { Outcome, OutcomeKind } from './outcome.ts';
import type {
  NewTask,
  Progress,
  ProgressToken,
  RequestId,
  Task,
  TaskCall,
  TaskHistory,
  TaskStatus,
  TaskWithOutcome,
  WorkMethod,
} from './task.ts';

/** Where a page of tasks/list ended: the last task's creation time and id. */
export interface TaskListPosition {
  readonly createdAt: Date;
  readonly id: TaskId;
}

export type CancelOutcome =
  /** `workerId`: who runs it, null when nobody does. */
  | {
      readonly kind: 'cancelled';
      readonly task: Task;
      readonly workerId: WorkerId | null;
      readonly queue: string;
      /** The tasks it had started, and theirs, which were cancelled with it. */
      readonly descendants: readonly EndedTask[];
    }
  | { readonly kind: 'already_terminal'; readonly task: Task }
  | { readonly kind: 'not_found' };

/**
 * What an attempt's writes are compared with: only those of the latest attempt count, and only from the worker that
 * claimed it. A number alone would not do: claims are not flushed, so after a crash of Postgres another worker may get the
 * number that was lost.
 */
export interface Fence {
  readonly taskId: TaskId;
  /** 1 for the first run, one more for each claim. */
  readonly attempt: number;
  readonly workerId: WorkerId;
}

/** The right to run one attempt. */
export interface Claim extends Fence {
  /** How often the tool has failed before. */
  readonly failures: number;
  readonly maxAttempts: number;
  readonly principalId: PrincipalId;
  readonly sessionId: SessionId | null;
  /** The task that started this one; null: a client did. */
  readonly parentTaskId: TaskId | null;
  readonly requestMethod: WorkMethod;
  readonly toolName: string;
  /** Of the tool the task was accepted for; null: any of the name. */
  readonly toolFingerprint: string | null;
  readonly queue: string;
  readonly arguments: JsonObject;
  readonly abilities: ClientAbilities;
  readonly logLevel: LogLevel | null;
  readonly progressToken: ProgressToken | null;
  /** Where it was accepted in a distributed trace; null: it is not traced. */
  readonly traceContext: string | null;
  /** Milliseconds since the task was accepted, by the database's clock; null: this is not its first attempt. */
  readonly waitedMs: number | null;
  /** The worker that had it before has died. */
  readonly isTakenOver: boolean;
  /** Progress an earlier attempt has already shown. */
  readonly progress: Progress | null;
  readonly timeoutMs: number;
  /**
   * When the task is failed whatever it does, by this process's clock, which may differ from the database's;
   * null: never.
   */
  readonly deadline: Date | null;
}

export type ClaimOutcome =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  /** Somebody else holds it, or its retry is not due: ask again in `retryInMs`. */
  | { readonly kind: 'not_yet'; readonly retryInMs: number }
  /**
   * As many as may are running of its principal, tool or queue. Its job is to be removed, and then `unadmit` called:
   * it comes back when it has its turn.
   */
  | { readonly kind: 'no_slot' }
  /** Ended, expired or unknown: nothing to run. */
  | { readonly kind: 'gone' };

/** What a worker reports with each heartbeat about an attempt it runs. */
export interface HeartbeatReport {
  readonly taskId: TaskId;
  readonly attempt: number;
  /** Null: nothing new since the last report. */
  readonly progress: Progress | null;
  readonly statusMessage: string | null;
}

/** `held` are still the worker's; `cancelled` were cancelled by their owners; all others are lost. */
export interface HeartbeatAnswer {
  readonly held: ReadonlySet<TaskId>;
  readonly cancelled: ReadonlySet<TaskId>;
}

/** What a tool logged for its client. */
export interface LogMessage {
  readonly level: LogLevel;
  /** Name of the tool or what it calls itself. */
  readonly logger: string | null;
  readonly data: JsonValue;
}

/** Place in a task's history: `task_events.id` as decimal text; `0` is before everything. */
export type EventCursor = string;

export interface LoggedMessage extends LogMessage {
  readonly id: EventCursor;
}

export interface FinishedAttempt extends Fence {
  readonly outcome: Outcome;
  /**
   * What clients get of a result that is too large to be sent whole. Not for a task that
   * another one started, whose result its parent gets.
   */
  readonly preview?: JsonObject;
  /** Of the plugin whose tool it was; null: it was none. */
  readonly toolVersion: string | null;
  readonly progress: Progress | null;
  readonly statusMessage: string | null;
}

export interface FailedAttempt extends Fence {
  readonly error: string;
  readonly retryInMs: number;
}

export interface AdmittedJob {
  readonly taskId: TaskId;
  readonly queue: string;
}

/** What a queue has and takes. */
export interface QueueLoad {
  /** Tasks whose jobs wait for a worker; those that wait for a retry do not count. */
  readonly waiting: number;
  /** Tasks of the queue that all workers together can run at once. */
  readonly seats: number;
}

/** How many jobs a queue should have. */
export interface AdmissionPlan {
  /** Jobs that wait for a worker, counted with those there are; never less than there are seats. */
  readonly depth: number;
  /** The same, for each principal's first job, which `depth` does not hold up. */
  readonly most: number;
  /** Tasks to admit at most. */
  readonly limit: number;
  /** Tools of which none is admitted; left out: none is paused. */
  readonly pausedTools?: readonly string[];
}

/** What was admitted, by turns of the principals, and what the queue had before. */
export interface Admission extends QueueLoad {
  readonly jobs: readonly AdmittedJob[];
}

/** A task that its client did not end, so that whoever waits for it can be told. */
export interface EndedTask {
  readonly id: TaskId;
  readonly sessionId: SessionId | null;
  readonly workerId: WorkerId | null;
  readonly toolName: string;
  readonly queue: string;
}

/** A task that ended because its time or its workers were over. */
export interface FailedTask extends EndedTask {
  readonly requestMethod: WorkMethod;
  readonly outcomeKind: OutcomeKind;
  /** Its last worker has died, which nobody had noticed before. */
  readonly isLost: boolean;
}

/** What became of a task that was handed to the store. */
export type Acceptance =
  | { readonly kind: 'created'; readonly createdAt: Date }
  /** The same call was there already: this is its task, in whatever state, and nothing was added. */
  | { readonly kind: 'known'; readonly task: Task };

/** What a client does with tasks, in the order of a task's life. Owner checks are in the statements. */
export interface TaskStore {
  /**
   * Commits the task, grouped with concurrent ones. Of several with the same `idempotency`, sent by whomever
   * to whatever process, one is created.
   *
   * @throws {LongshoreError} IDEMPOTENCY_CONFLICT when the key belongs to other arguments
   */
  accept(task: NewTask): Promise<Acceptance>;
  /**
   * The task that `accept` would find.
   * @throws {LongshoreError} IDEMPOTENCY_CONFLICT
   */
  findSame(task: Omit<NewTask, 'enqueue'>): Promise<Task | null>;
  /**
   * How many of the owner's tasks wait for a worker, counted up to `limit`.
   * Counts: open, and claimed by nobody; also those without a handle.
   */
  countWaiting(owner: PrincipalId, limit: number): Promise<number>;
  /** Whether any task of the owner has not ended, those without a handle included. */
  hasOpen(owner: PrincipalId): Promise<boolean>;
  find(id: TaskId, owner: PrincipalId): Promise<Task | null>;
  /** Like `find`, for tasks without a handle as well, with the outcome. */
  findWithOutcome(id: TaskId, owner: PrincipalId): Promise<TaskWithOutcome | null>;
  /** Like `find`, with the arguments, which may be large. */
  findCall(id: TaskId, owner: PrincipalId): Promise<TaskCall | null>;
  /** Like `findCall`, with what has happened to it, `limit` events at most. */
  history(id: TaskId, owner: PrincipalId, limit: number): Promise<TaskHistory | null>;
  /**
   * Newest first. `limit` rows at most, 1 to 1000.
   *
   * @param status only those; of tasks that have ended, the newest 20,000 behind `after` are looked at
   */
  list(
    owner: PrincipalId,
    limit: number,
    after: TaskListPosition | null,
    status?: TaskStatus | null,
  ): Promise<Task[]>;
  cancel(id: TaskId, owner: PrincipalId): Promise<CancelOutcome>;
  /** Cancels a call without a handle: nobody waits for it any more. */
  cancelHeld(id: TaskId, owner: PrincipalId): Promise<CancelOutcome>;
  /**
   * Gives a call a handle after all (`listed`).
   *
   * @param by the request that is answered with it: the one that made the row, whose progress token is good no more, or another
   * @returns null when it is unknown or has one already
   */
  promote(id: TaskId, owner: PrincipalId, by: 'maker' | 'other'): Promise<Task | null>;
  /** Log messages of the task after `after`, oldest first; tasks without a handle as well. */
  logs(id: TaskId, owner: PrincipalId, after: EventCursor, limit: number): Promise<LoggedMessage[]>;
  /**
   * Gives log messages of a task with a handle to one of the streams that may carry them, oldest first; each
   * is given out once. A stream whose client has come back from another one gets those again that the
   * client has not seen there, unless a third stream took some since.
   *
   * @param taker.stream UUID of the stream
   * @param taker.previous UUID of the stream the client has come back from, for the first time it asks
   * @param taker.after the last message the client has seen there
   */
  takeLogs(
    id: TaskId,
    owner: PrincipalId,
    taker: {
      readonly stream: string;
      readonly previous: string | null;
      readonly after: EventCursor;
      readonly limit: number;
    },
  ): Promise<LoggedMessage[]>;
  /**
   * Tasks with a handle of one session that changed after `since`, oldest change first; only the newest
   * 1,000 tasks of the owner are looked at.
   */
  changedSince(
    sessionId: SessionId,
    owner: PrincipalId,
    since: Date,
    limit: number,
  ): Promise<Task[]>;
  /** Cancels the call without a handle that a session's request started. */
  cancelRequest(
    sessionId: SessionId,
    owner: PrincipalId,
    requestId: RequestId,
  ): Promise<CancelOutcome>;
}

/** A task that waits for a worker, of a principal that has no seat of its queue. */
export interface NewcomerTask {
  readonly taskId: TaskId;
  readonly principalId: PrincipalId;
  readonly requestMethod: WorkMethod;
  readonly toolName: string;
}

/** What a worker does with tasks. A refused write (false) means the attempt is no longer its own. */
export interface AttemptStore {
  /** @param pausedTools of which nothing is to start: as if they had no slot */
  claim(
    id: TaskId,
    workerId: WorkerId,
    leaseMs: number,
    pausedTools?: readonly string[],
  ): Promise<ClaimOutcome>;
  /** Renews the leases; attempts that are not held any more must be stopped. */
  heartbeat(
    workerId: WorkerId,
    leaseMs: number,
    reports: readonly HeartbeatReport[],
  ): Promise<HeartbeatAnswer>;
  /** Writes outcome and terminal state at once, grouped with concurrent ones. */
  finish(attempt: FinishedAttempt): Promise<boolean>;
  /** Gives the task back to the queue, due in `retryInMs`. */
  retry(attempt: FailedAttempt): Promise<boolean>;
  /** Gives a task back unrun, at once, without counting a failure (drain). */
  release(fence: Fence): Promise<boolean>;
  /**
   * Gives a task back that the worker may have without knowing: asking for it failed, and the claim may have been
   * committed all the same. `running`: the attempt of this task that it does run; null: none.
   */
  releaseUnconfirmed(taskId: TaskId, workerId: WorkerId, running: number | null): Promise<void>;
  /**
   * The oldest waiting task of every principal that runs nothing of the queue, at whatever worker; what waits
   * for answers or for other tasks does not run. Oldest first.
   */
  newcomers(queue: string, limit: number): Promise<NewcomerTask[]>;
  /**
   * Asks the client, all questions in one statement: the task waits for input until all are answered.
   *
   * @returns by key, or null when the attempt is not the current one
   */
  ask(
    fence: Fence,
    questions: readonly InputQuestion[],
  ): Promise<ReadonlyMap<string, AskedInput> | null>;
  /** The answers to these of the task's questions that are there, by key. */
  readAnswers(taskId: TaskId, keys: readonly string[]): Promise<ReadonlyMap<string, InputAnswer>>;
  /**
   * Ends the wait for questions nobody answered in time. @returns the answers by key: `timeout`, or what came
   * in the last moment
   */
  timeOutInputs(fence: Fence, keys: readonly string[]): Promise<ReadonlyMap<string, InputAnswer>>;
  /** Keeps log messages for the client. Fenced. */
  appendLogs(fence: Fence, messages: readonly LogMessage[]): Promise<boolean>;
  getCheckpoint(taskId: TaskId, key: string): Promise<JsonValue | null>;
  /** Fenced: refused when a later attempt runs. */
  setCheckpoint(fence: Fence, key: string, value: JsonValue): Promise<boolean>;
}

/** What keeps the queue and the table honest; any process may run it, several at once too. */
export interface MaintenanceStore {
  /**
   * Marks waiting tasks of `queue` as enqueued, by turns: each principal gets a first job, then each a second
   * one, while there is room; none of a task whose limits are reached. The caller adds the jobs.
   *
   * @returns null when another process does this for the queue right now
   */
  admit(queue: string, plan: AdmissionPlan): Promise<Admission | null>;
  /** What the queue has, counted up to `most`, and takes. */
  queueLoad(queue: string, most: number): Promise<QueueLoad>;
  /** Puts tasks whose jobs are not in the queue back among those that wait for their turn; not those that somebody has. */
  unadmit(taskIds: readonly TaskId[]): Promise<void>;
  /** Queues that have tasks waiting for the relay. */
  queuesWithBacklog(): Promise<string[]>;
  /** Tasks whose job may have vanished: enqueued `staleMs` ago, due, and run by nobody. Re-stamps them. */
  readmit(staleMs: number, limit: number): Promise<AdmittedJob[]>;
  /** Fails tasks past their execution deadline and tasks whose workers died `maxLost` times. */
  failOverdue(maxLost: number, limit: number): Promise<FailedTask[]>;
  /** Cancels tasks whose parent has ended. */
  cancelOrphans(limit: number): Promise<EndedTask[]>;
  /** Deletes batches past their ttl, `limit` chunks at most. @returns how many of both */
  deleteExpiredBatches(limit: number): Promise<number>;
  /**
   * Deletes what has happened to tasks that ended `ageMs` ago, but for their creation and end, with their questions
   * and checkpoints. @returns how many tasks
   */
  pruneEvents(ageMs: number, limit: number): Promise<number>;
  /** Deletes the results of tasks that ended `ageMs` ago. @returns how many tasks */
  pruneResults(ageMs: number, limit: number): Promise<number>;
  /** Deletes tasks past their ttl with all that belongs to them. @returns the tasks that were still open. */
  deleteExpired(limit: number): Promise<{ readonly deleted: number; readonly open: EndedTask[] }>;
}
