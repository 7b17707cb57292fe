import {
  type BusEvent,
  isTerminal,
  type JsonObject,
  type Logger,
  LongshoreError,
  type PrincipalId,
  type Progress,
  type Subscription,
  type Task,
  type TaskId,
  type TaskWithOutcome,
  taskTopic,
} from '@longshore/core';
import { parseTaskId } from '../tasks/owned-tasks.ts';
import { taskDetails } from './task-details.ts';
import { Wake } from './wake.ts';
import type { WatchContext } from './watch-context.ts';

/** 30 s, give or take a third so that many feeds do not read at once: only lost messages wait this long. */
const REREAD_MS = 30_000;
/** While Postgres is away. */
const RETRY_MS = 1_000;
/** Progress is told as part of a task's state, no more often than this. */
const PROGRESS_SPACING_MS = 1_000;
/** Tasks read at once. */
const BATCH_SIZE = 50;

/**
 * Follows several tasks of one principal and tells each state of theirs: at first as it is, then whenever it
 * differs. Listens first and reads after that; messages only say which rows to read (P7).
 */
export class TaskFeed {
  readonly #context: WatchContext;
  readonly #owner: PrincipalId;
  readonly #log: Logger;
  readonly #tell: (task: JsonObject) => void;
  readonly #subscriptions: Subscription[] = [];
  /** Tasks that have not ended, with what was told of them last. */
  readonly #open = new Map<TaskId, string | null>();
  readonly #dirty = new Set<TaskId>();
  /** Progress that was heard and may not be in the row yet. */
  readonly #progress = new Map<TaskId, Progress>();
  readonly #wake = new Wake();
  #progressTimer: NodeJS.Timeout | null = null;

  constructor(options: {
    context: WatchContext;
    owner: PrincipalId;
    log: Logger;
    /** Called with DetailedTasks. */
    tell: (task: JsonObject) => void;
  }) {
    this.#context = options.context;
    this.#owner = options.owner;
    this.#log = options.log;
    this.#tell = options.tell;
  }

  /**
   * Finds the tasks and listens to their messages.
   * @returns those the owner has a handle of, in the order of `ids`; others are left out without a word
   */
  async open(ids: readonly string[]): Promise<TaskId[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.#find(id)));
    const tasks = found.filter((task) => task !== null);
    const topics = new Set(tasks.map(taskTopic));
    for (const { id } of tasks) this.#open.set(id, null);
    await this.#listen([...topics]);
    return tasks.map(({ id }) => id);
  }

  /** Tells states until all tasks have ended, each with its end, or the signal fires. */
  async run(signal: AbortSignal): Promise<void> {
    let readAllAtMs = Number.NEGATIVE_INFINITY;
    while (!signal.aborted && this.#open.size > 0) {
      if (performance.now() >= readAllAtMs) {
        readAllAtMs = performance.now() + REREAD_MS * (1 + Math.random() / 3);
        for (const id of this.#open.keys()) this.#dirty.add(id);
      }
      const allRead = await this.#readDirty();
      if (this.#open.size === 0) return;
      const pauseMs = allRead ? readAllAtMs - performance.now() : RETRY_MS;
      await this.#wake.wait(Math.max(pauseMs, 0), signal);
    }
  }

  async close(): Promise<void> {
    if (this.#progressTimer !== null) clearTimeout(this.#progressTimer);
    this.#progressTimer = null;
    await Promise.all(this.#subscriptions.map((subscription) => subscription.close()));
  }

  async #find(id: string): Promise<Task | null> {
    const taskId = asTaskId(id);
    return taskId === null ? null : this.#context.tasks.find(taskId, this.#owner);
  }

  /** To all at once, which the bus asks for in few messages. Those that are heard are closed also when others are not. */
  async #listen(topics: readonly string[]): Promise<void> {
    const { bus } = this.#context;
    const asked = await Promise.allSettled(
      topics.map((topic) => bus.subscribe(topic, (event) => this.#hear(event))),
    );
    for (const answer of asked) {
      if (answer.status === 'fulfilled') this.#subscriptions.push(answer.value);
    }
    const refused = asked.find((answer) => answer.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
  }

  #hear(event: BusEvent): void {
    if (event.kind === 'resync') {
      for (const id of this.#open.keys()) this.#dirty.add(id);
      this.#wake.poke();
    } else if (event.kind === 'changed' && this.#open.has(event.taskId)) {
      this.#dirty.add(event.taskId);
      this.#wake.poke();
    } else if (event.kind === 'progress' && this.#open.has(event.taskId)) {
      const { taskId, progress, total, message } = event;
      this.#progress.set(taskId, { progress, total, message });
      this.#progressTimer ??= setTimeout(() => this.#tellProgress(), PROGRESS_SPACING_MS).unref();
    }
  }

  #tellProgress(): void {
    this.#progressTimer = null;
    for (const id of this.#progress.keys()) {
      if (this.#open.has(id)) this.#dirty.add(id);
    }
    this.#wake.poke();
  }

  /** @returns false when some could not be read: they stay dirty */
  async #readDirty(): Promise<boolean> {
    const ids = [...this.#dirty];
    this.#dirty.clear();
    for (let start = 0; start < ids.length; start += BATCH_SIZE) {
      const batch = ids.slice(start, start + BATCH_SIZE);
      try {
        await Promise.all(batch.map((id) => this.#read(id)));
      } catch (error) {
        if (!(error instanceof LongshoreError) || !error.retryable) throw error;
        this.#log.warn({ err: error }, 'tasks could not be read, waiting on');
        for (const id of ids.slice(start)) this.#dirty.add(id);
        return false;
      }
    }
    return true;
  }

  async #read(id: TaskId): Promise<void> {
    const row = await this.#context.tasks.findWithOutcome(id, this.#owner);
    if (row === null) {
      // Its ttl is over: there is nothing left to tell.
      this.#open.delete(id);
      return;
    }
    const task = await taskDetails(this.#context, this.#withProgress(row), this.#owner);
    const told = JSON.stringify(task);
    if (!this.#open.has(id) || this.#open.get(id) === told) return;
    if (isTerminal(row.task)) this.#open.delete(id);
    else this.#open.set(id, told);
    this.#tell(task);
  }

  #withProgress(row: TaskWithOutcome): TaskWithOutcome {
    const { task, outcome } = row;
    const heard = this.#progress.get(task.id);
    this.#progress.delete(task.id);
    if (heard === undefined || isTerminal(task)) return row;
    if (task.progress !== null && task.progress.progress >= heard.progress) return row;
    return { task: { ...task, progress: heard }, outcome };
  }
}

/** Null for text that can not be one of our ids, which is an unknown task like any other. */
function asTaskId(text: string): TaskId | null {
  try {
    return parseTaskId(text);
  } catch {
    return null;
  }
}
