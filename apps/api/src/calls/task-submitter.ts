import {
  type Acceptance,
  type JobQueue,
  type JsonObject,
  type Logger,
  LongshoreError,
  type MaintenanceStore,
  type NewTask,
  outcomeKind,
  type PrincipalId,
  type PrincipalLimits,
  type TaskStore,
} from '@longshore/core';
import type { ApiMetrics } from '@longshore/metrics';
import type { Pauses } from '@longshore/queue';
import { presentStored, type SpanOptions, traced } from '@longshore/tracing';
import { CountedLimit } from '../edge/limits/counted-limit.ts';

/** Whether a queue takes jobs directly, or the relay must bring them later. */
export interface Admission {
  hasRoom(queue: string): boolean;
  /** Called for each job that goes the direct way. */
  admitted(queue: string): void;
}

type SubmitMetrics = Pick<ApiMetrics, 'accepted' | 'acceptTook' | 'finished'>;

type Submitted = Omit<NewTask, 'enqueue' | 'principalLimit' | 'queueLimit'>;

/** Commits tasks, within the limits of their principal, and hands their jobs to the queue. */
export class TaskSubmitter {
  readonly #tasks: TaskStore;
  readonly #waiting: CountedLimit<PrincipalId>;
  readonly #maintenance: MaintenanceStore;
  readonly #jobs: JobQueue;
  readonly #admission: Admission;
  readonly #relay: { poke(): void };
  readonly #metrics: SubmitMetrics;
  readonly #log: Logger;
  readonly #queueLimits: ReadonlyMap<string, number>;
  readonly #pauses: Pick<Pauses, 'holds'>;

  constructor(options: {
    tasks: TaskStore;
    maintenance: MaintenanceStore;
    jobs: JobQueue;
    admission: Admission;
    /** Brings the jobs of tasks that found no room. */
    relay: { poke(): void };
    /** Tasks of a queue that may run at once; a queue that is not named has no limit. */
    queueLimits: ReadonlyMap<string, number>;
    /** What is not to start: it waits for its turn. */
    pauses: Pick<Pauses, 'holds'>;
    metrics: SubmitMetrics;
    log: Logger;
  }) {
    this.#tasks = options.tasks;
    this.#waiting = new CountedLimit({
      count: (owner, limit) => options.tasks.countWaiting(owner, limit),
      refusal: tooManyTasks,
    });
    this.#maintenance = options.maintenance;
    this.#jobs = options.jobs;
    this.#admission = options.admission;
    this.#relay = options.relay;
    this.#metrics = options.metrics;
    this.#log = options.log;
    this.#queueLimits = options.queueLimits;
    this.#pauses = options.pauses;
  }

  /**
   * Resolves when the task is committed, or the same call was there already; the job follows. A job that can
   * not be added now is the relay's business: the row is the truth.
   *
   * @throws {LongshoreError} then nothing was accepted: DATABASE_UNAVAILABLE · ARGUMENTS_TOO_LARGE ·
   *   TOO_MANY_TASKS · IDEMPOTENCY_CONFLICT
   */
  async submit(task: Submitted, limits: PrincipalLimits): Promise<Acceptance> {
    checkArgumentSize(task.arguments, limits.argumentBytes);
    // What comes with its outcome waits for nobody.
    if (task.outcome !== null) return this.#accept(task, limits);
    const taken = await this.#takeRoom(task, limits.queuedTasks);
    if (typeof taken !== 'function') return taken;
    try {
      return await this.#accept(task, limits);
    } finally {
      taken();
    }
  }

  /**
   * For a task that something else than a call makes, and commits together with what else it writes. The relay
   * brings its job.
   *
   * @param commit false: it was not committed, for somebody else has done so
   * @throws {LongshoreError} then nothing was committed: ARGUMENTS_TOO_LARGE · TOO_MANY_TASKS, what `commit` throws
   */
  async submitBy(
    task: Submitted,
    limits: PrincipalLimits,
    commit: (task: NewTask) => Promise<boolean>,
  ): Promise<boolean> {
    checkArgumentSize(task.arguments, limits.argumentBytes);
    const isWaiting = task.outcome === null;
    const giveBack = isWaiting
      ? await this.#waiting.take(task.principalId, limits.queuedTasks)
      : () => {};
    try {
      const limited = { ...task, ...this.#limitsOn(task, limits), enqueue: false };
      const isCommitted = await traced('accept', acceptSpan(task), () =>
        commit({ ...limited, traceContext: presentStored() }),
      );
      if (isCommitted) this.#count(task);
      if (isCommitted && isWaiting) this.#relay.poke();
      return isCommitted;
    } finally {
      giveBack();
    }
  }

  /** @returns gives the room back; or what is there already, for which none is needed */
  async #takeRoom(task: Submitted, limit: number): Promise<(() => void) | Acceptance> {
    try {
      return await this.#waiting.take(task.principalId, limit);
    } catch (error) {
      const same = isFull(error) ? await this.#tasks.findSame(task) : null;
      if (same === null) throw error;
      return { kind: 'known', task: same };
    }
  }

  async #accept(task: Submitted, limits: PrincipalLimits): Promise<Acceptance> {
    const { principalLimit, queueLimit } = this.#limitsOn(task, limits);
    const isLimited = (principalLimit ?? task.toolLimit ?? queueLimit ?? null) !== null;
    // Whether a limited task may run now is for the relay to count; the claim refuses it otherwise.
    const isHeld = isLimited || this.#pauses.holds(task.toolName, task.queue);
    const enqueue = task.outcome === null && !isHeld && this.#admission.hasRoom(task.queue);
    const askedAt = performance.now();
    const limited = { ...task, principalLimit, queueLimit, enqueue };
    const acceptance = await traced('accept', acceptSpan(task), () =>
      this.#tasks.accept({ ...limited, traceContext: presentStored() }),
    );
    if (acceptance.kind === 'known') return acceptance;
    this.#metrics.acceptTook(task.era, performance.now() - askedAt);
    this.#count(task);
    if (enqueue) {
      this.#admission.admitted(task.queue);
      void this.#enqueue(task);
    } else if (task.outcome === null) {
      this.#relay.poke();
    }
    return acceptance;
  }

  #count(task: Submitted): void {
    this.#metrics.accepted(task);
    if (task.outcome !== null) this.#metrics.finished(task, outcomeKind(task.outcome));
  }

  /** How many tasks may run at once beside it, of its principal and of its queue. */
  #limitsOn(
    { queue }: Submitted,
    { concurrentTasks }: PrincipalLimits,
  ): { principalLimit: number | null; queueLimit: number | null } {
    return {
      principalLimit: concurrentTasks === 0 ? null : concurrentTasks,
      queueLimit: this.#queueLimits.get(queue) ?? null,
    };
  }

  async #enqueue(task: Pick<NewTask, 'id' | 'queue'>): Promise<void> {
    try {
      await this.#jobs.add(task.queue, [task.id]);
    } catch (error) {
      this.#log.warn({ taskId: task.id, err: error }, 'job could not be added, left to the relay');
      try {
        await this.#maintenance.unadmit([task.id]);
      } catch (unadmitError) {
        this.#log.warn({ taskId: task.id, err: unadmitError }, 'task left to the sweeper');
      }
    }
  }
}

/** Whoever runs the task goes on from here. */
const acceptSpan = ({ id, toolName, queue }: Submitted): SpanOptions => ({
  kind: 'producer',
  attributes: { 'longshore.task.id': id, 'longshore.tool': toolName, 'longshore.queue': queue },
});

function isFull(error: unknown): boolean {
  return error instanceof LongshoreError && error.code === 'TOO_MANY_TASKS';
}

/** @throws {LongshoreError} ARGUMENTS_TOO_LARGE */
export function checkArgumentSize(args: JsonObject, maxBytes: number): void {
  const bytes = Buffer.byteLength(JSON.stringify(args));
  if (bytes <= maxBytes) return;
  throw new LongshoreError(
    'ARGUMENTS_TOO_LARGE',
    `The arguments are ${bytes} bytes of JSON, and ${maxBytes} are allowed: pass large data by reference`,
    { details: { bytes, maxBytes } },
  );
}

function tooManyTasks(limit: number, retryAfterMs: number): LongshoreError {
  return new LongshoreError(
    'TOO_MANY_TASKS',
    `${limit} tasks are waiting for a worker, the limit: try again when some have begun`,
    { details: { retryAfterMs } },
  );
}
