import {
  type BusEvent,
  type EventBus,
  isTerminal,
  type Logger,
  LongshoreError,
  type PrincipalId,
  type SessionId,
  type Subscription,
  sessionTopic,
  type Task,
  type TaskId,
  type TaskStore,
  type TaskWithOutcome,
  taskTopic,
} from '@longshore/core';
import type { Delivery } from '../methods/delivery.ts';
import { taskNotFound } from '../methods/task-not-found.ts';
import { Wake } from './wake.ts';

/** 30 s, give or take a third so that many waits do not read at once: only lost messages wait this long. */
const REREAD_MS = 30_000;
/** While Postgres is away. */
const RETRY_MS = 1_000;

export interface WatchedTask {
  readonly id: TaskId;
  readonly owner: PrincipalId;
  /** The session the task was created in: decides where its messages are. */
  readonly sessionId: SessionId | null;
}

export interface WatchOptions {
  readonly delivery: Pick<Delivery, 'requestId' | 'signal' | 'withdraw'>;
  /** The session of whoever waits: there a withdrawal of the request is heard. Null: the caller has none. */
  readonly callerSessionId: SessionId | null;
  /** Called with each message of the task's topic, in order. */
  readonly onEvent: (event: BusEvent) => void;
  /** Called with each state of the row that was read, in order. */
  readonly onRow: (task: Task) => void;
  /** Called once messages are heard, before the row is read. */
  readonly onListening?: () => Promise<void>;
}

/**
 * Says after each read of the row whether the wait is over. What it throws ends the wait, unless it is
 * retryable: then the row is read again.
 */
export type WatchGoal = (found: TaskWithOutcome) => boolean | Promise<boolean>;

/** Null: nobody waits any more. */
export type WatchOutcome = TaskWithOutcome | null;

/**
 * Waits for tasks to end. Listens first and reads the row after that, so nothing falls between; messages
 * only wake it up, and it reads again on a slow timer and after each reconnect (P7).
 */
export class TaskWatch {
  readonly #tasks: TaskStore;
  readonly #bus: EventBus;
  readonly #log: Logger;

  constructor(options: { tasks: TaskStore; bus: EventBus; log: Logger }) {
    this.#tasks = options.tasks;
    this.#bus = options.bus;
    this.#log = options.log;
  }

  /**
   * @returns the ended task with its outcome, or null when the delivery's signal fired before
   * @throws {LongshoreError} TASK_NOT_FOUND when it is deleted or expires meanwhile
   */
  untilEnded(watched: WatchedTask, options: WatchOptions): Promise<WatchOutcome> {
    return this.until(({ task }) => isTerminal(task), watched, options);
  }

  /**
   * Waits for `goal`, such as the task's end or a question it asks.
   *
   * @returns the row that met the goal, or null when the delivery's signal fired before
   * @throws {LongshoreError} TASK_NOT_FOUND when it is deleted or expires meanwhile
   */
  async until(goal: WatchGoal, watched: WatchedTask, options: WatchOptions): Promise<WatchOutcome> {
    const { signal } = options.delivery;
    const wake = new Wake();
    const subscriptions: Subscription[] = [];
    const topic = taskTopic(watched);
    const ownTopic =
      options.callerSessionId === null ? null : sessionTopic(options.callerSessionId);
    const hear = (event: BusEvent): void => {
      if (event.kind === 'request-cancelled' && event.requestId === options.delivery.requestId) {
        options.delivery.withdraw();
      }
    };
    try {
      subscriptions.push(
        await this.#bus.subscribe(topic, (event) => {
          if (topic === ownTopic) hear(event);
          options.onEvent(event);
          if (event.kind === 'resync') wake.poke();
          if (event.kind === 'changed' && event.taskId === watched.id) wake.poke();
        }),
      );
      if (ownTopic !== null && topic !== ownTopic) {
        subscriptions.push(await this.#bus.subscribe(ownTopic, hear));
      }
      await options.onListening?.();
      while (!signal.aborted) {
        const found = await this.#look(goal, watched, options);
        if (found.met !== null) return found.met;
        await wake.wait(found.pauseMs, signal);
      }
      return null;
    } finally {
      await Promise.all(subscriptions.map((subscription) => subscription.close()));
    }
  }

  async #look(
    goal: WatchGoal,
    watched: WatchedTask,
    { delivery: { signal }, onRow }: WatchOptions,
  ): Promise<{ met: TaskWithOutcome | null; pauseMs: number }> {
    try {
      const found = await this.#tasks.findWithOutcome(watched.id, watched.owner);
      if (found === null) throw taskNotFound();
      const pauseMs = REREAD_MS * (1 + Math.random() / 3);
      if (signal.aborted) return { met: null, pauseMs };
      onRow(found.task);
      return { met: (await goal(found)) ? found : null, pauseMs };
    } catch (error) {
      if (!(error instanceof LongshoreError) || !error.retryable) throw error;
      this.#log.warn({ taskId: watched.id, err: error }, 'task could not be read, waiting on');
      return { met: null, pauseMs: RETRY_MS };
    }
  }
}
