import type { AuthBindingId, PrincipalId, ScheduleId, TaskId, WorkerId } from './brand.ts';
import type { JsonObject } from './json.ts';
import type { OutcomeKind } from './outcome.ts';
import type { PrincipalKind } from './principal.ts';
import type { Schedule, ScheduleListPosition } from './schedule.ts';
import type { Era, Progress, TaskEvent, WorkMethod } from './task.ts';

/**
 * Where a task stands, finer than its state. `waiting`: for its turn, nobody has added its job; `ready`: its job waits for
 * a worker; `retrying`: its next attempt is due later; `failed`: also with a result that is an error.
 */
export const TASK_PHASES = [
  'waiting',
  'ready',
  'retrying',
  'running',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] as const;
export type TaskPhase = (typeof TASK_PHASES)[number];

/** Who owns tasks, as it is shown. */
export interface NamedPrincipal {
  readonly id: PrincipalId;
  readonly kind: PrincipalKind;
  readonly subject: string;
}

/** A row of a list of tasks: nothing of its arguments or its result. */
export interface ListedTask {
  readonly id: TaskId;
  readonly phase: TaskPhase;
  readonly toolName: string;
  readonly queue: string;
  readonly principalId: PrincipalId;
  /** Null: it has no row of its own, such as a session's. */
  readonly principal: NamedPrincipal | null;
  readonly era: Era;
  readonly method: WorkMethod;
  readonly parentId: TaskId | null;
  readonly attempt: number;
  readonly failures: number;
  readonly maxAttempts: number;
  readonly progress: Progress | null;
  readonly message: string | null;
  /** Who has it. */
  readonly workerId: WorkerId | null;
  /** It has called tools. */
  readonly hasCalled: boolean;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly finishedAt: Date | null;
}

/** Which tasks are meant. Members that are null say nothing. */
export interface TaskSearch {
  /** Whose; null: of all. */
  readonly owner: PrincipalId | null;
  readonly phases: readonly TaskPhase[] | null;
  readonly tools: readonly string[] | null;
  readonly queues: readonly string[] | null;
  readonly worker: WorkerId | null;
  /** What this task has started by calling tools. */
  readonly parent: TaskId | null;
  readonly createdAfter: Date | null;
  readonly createdBefore: Date | null;
  /** Part of its arguments or of its message, whatever its case. */
  readonly text: string | null;
}

/** Where a page of a search ended. */
export interface TaskSearchPlace {
  readonly id: TaskId;
  readonly createdAt: Date;
}

export interface TaskSearchPage {
  readonly tasks: readonly ListedTask[];
  /** Null: there are no more. */
  readonly next: TaskSearchPlace | null;
  /** The page ended before it was full: this many tasks were looked at, and `next` goes on behind them. */
  readonly isCut: boolean;
}

/** All of a task but its result. */
export interface TaskFacts extends ListedTask {
  readonly listed: boolean;
  /** Of the credential it came with. */
  readonly authBindingId: AuthBindingId;
  readonly arguments: JsonObject;
  readonly outcomeKind: OutcomeKind | null;
  readonly lost: number;
  readonly ttlMs: number | null;
  readonly expiresAt: Date | null;
  readonly deadline: Date | null;
  readonly runAfter: Date | null;
  readonly timeoutMs: number;
  readonly idempotencyKey: string | null;
  /** Of the plugin whose tool it ended in; null: it has not, or in none. */
  readonly toolVersion: string | null;
  /** Oldest first, the latest ones. */
  readonly events: readonly TaskEvent[];
}

/** A batch as a map of its chunks. */
export interface BatchMap {
  readonly key: string;
  /** Items that are stored, and those that came to something. */
  readonly items: number;
  readonly done: number;
  readonly failed: number;
  /** All its items are stored. */
  readonly isSealed: boolean;
  /** As of OwnedBatches. */
  readonly isSettled: boolean;
  /** In order, each one or more chunks. */
  readonly cells: readonly {
    readonly size: number;
    readonly done: number;
    readonly failed: number;
    /** Some of its items have come to nothing, so far. */
    readonly open: boolean;
  }[];
}

/** A worker as operators see it. */
export interface SeenWorker {
  readonly id: WorkerId;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly queues: readonly string[];
  readonly seats: number;
  /** Tasks that it has now. */
  readonly running: number;
  readonly startedAt: Date;
  readonly heartbeatAt: Date;
  /** No sign of life for longer than its lease. */
  readonly isSilent: boolean;
  readonly isDraining: boolean;
  readonly tools: readonly string[];
}

/** What stood where in a queue at a look; counts of what waits go up to 10,000. */
export interface QueueGauge {
  readonly queue: string;
  readonly waiting: number;
  readonly ready: number;
  readonly retrying: number;
  readonly running: number;
  readonly inputRequired: number;
  /** How long the oldest has waited that nobody ever started, in milliseconds; 0: none waits. */
  readonly oldestWaitMs: number;
  readonly workers: number;
  readonly seats: number;
  /** By tools whose tasks wait for a worker. */
  readonly tools: Readonly<Record<string, { readonly ready: number; readonly oldestMs: number }>>;
}

/** The worst of a bucket of time, of all queues or of one. */
export interface GaugeBucket extends Omit<QueueGauge, 'queue' | 'tools' | 'ready' | 'retrying'> {
  readonly at: Date;
}

/** Counts by bucket of `HISTOGRAM_EDGES_MS` of the operator API. */
export type Histogram = readonly number[];

/** Tasks that ended. */
export interface EndedStats {
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
  readonly waits: Histogram;
  readonly runs: Histogram;
}

export interface Stats {
  readonly foldedUntil: Date;
  readonly buckets: readonly (EndedStats & { readonly at: Date })[];
  /** The most calls first. */
  readonly tools: readonly (EndedStats & { readonly tool: string })[];
  /** Of the tool that the window is of, by the version of its plugin; '': ended by none. Of all tools, none. */
  readonly versions: readonly (EndedStats & { readonly version: string })[];
  readonly gauges: readonly GaugeBucket[];
}

export interface StatsWindow {
  readonly from: Date;
  readonly to: Date;
  /** A whole number of minutes; of hours from an hour on. */
  readonly stepMs: number;
  readonly tool: string | null;
  readonly queue: string | null;
}

/** A schedule of anybody. */
export interface ListedSchedule extends Schedule {
  readonly principal: NamedPrincipal;
}

export interface ListedPrincipal extends NamedPrincipal {
  readonly createdAt: Date;
  /** Counted up to 1,000. */
  readonly openTasks: number;
}

export interface TaskChange extends Pick<ListedTask, 'id' | 'phase' | 'progress'> {
  readonly updatedAt: Date;
}

/** What has changed in a moment, for who shows tasks. */
export interface TaskChanges {
  /** Where the next look goes on. */
  readonly now: Date;
  /** The newest 1,000, and of the changes the latest 200: also what the looks of the last seconds have told. */
  readonly created: readonly TaskId[];
  readonly changed: readonly TaskChange[];
}

/**
 * What operators read, of all principals. None of it is on the way of a call: it has connections of its own, few, and
 * statements that give up soon. What they change goes through the stores that everybody uses.
 */
export interface OperatorStore {
  /** Newest first; `limit` at most. A bounded number of tasks is looked at. */
  search(search: TaskSearch, limit: number, after: TaskSearchPlace | null): Promise<TaskSearchPage>;
  /** How many match, counted up to `most` among a bounded number of the newest. */
  count(search: TaskSearch, most: number): Promise<{ count: number; isCapped: boolean }>;
  /** Whose it is; null: there is no such task. */
  ownerOf(id: TaskId): Promise<PrincipalId | null>;
  /** @param owner null: of anybody, calls without a handle too */
  facts(id: TaskId, owner: PrincipalId | null, events: number): Promise<TaskFacts | null>;
  /**
   * @param key of one of several batches; null: the first
   * @returns null when the task is unknown, expired or somebody else's, or has no such batch
   */
  batchMap(
    id: TaskId,
    owner: PrincipalId,
    key: string | null,
    mostCells: number,
  ): Promise<BatchMap | null>;
  workers(): Promise<readonly SeenWorker[]>;
  /** The latest look. */
  gauges(): Promise<readonly QueueGauge[]>;
  stats(window: StatsWindow): Promise<Stats>;
  /** @param owner null: of all */
  changes(since: Date, owner: PrincipalId | null): Promise<TaskChanges>;
  principal(id: PrincipalId): Promise<NamedPrincipal | null>;
  /** Newest first. */
  principals(
    limit: number,
    after: { readonly createdAt: Date; readonly id: PrincipalId } | null,
  ): Promise<readonly ListedPrincipal[]>;
  /** Newest first, of all. */
  schedules(limit: number, after: ScheduleListPosition | null): Promise<readonly ListedSchedule[]>;
  /** Whose it is; null: there is no such schedule. */
  scheduleOwner(id: ScheduleId): Promise<PrincipalId | null>;
}

/** What one process at a time does for the figures of operators; all may try. */
export interface StatsStore {
  /**
   * Counts tasks that ended since the last time, some thousands at most.
   * @returns how many; null when another process is at it
   */
  foldEnded(): Promise<number | null>;
  /** Looks at all queues, unless anybody has within `intervalMs`. @returns whether it has looked */
  sampleQueues(intervalMs: number): Promise<boolean>;
  /** Deletes buckets that are too old. */
  deleteOldStats(): Promise<void>;
}
