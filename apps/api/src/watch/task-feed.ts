import {
  type BusEvent,
  isTerminal,
  type JsonObject,
  type PrincipalId,
  type Progress,
  type Subscription,
  type Task,
  type TaskId,
  type TaskWithOutcome,
  taskTopic,
} from '@longshore/core';
import { parseTaskId } from '../tasks/owned-tasks.ts';
import type { AwaitedRow } from './row-reads.ts';
import { taskDetails } from './task-details.ts';
import type { WatchContext } from './watch-context.ts';

/** Progress is told as part of a task's state, no more often than this. */
const PROGRESS_SPACING_MS = 1_000;
/**
 * Follows several tasks of one principal and tells each state of theirs: at first as it is, then whenever it
 * differs. Listens first and reads after that; messages only say which rows to read.
 */
export class TaskFeed {
  readonly #context: WatchContext;
  readonly #owner: PrincipalId;
  readonly #tell: (task: JsonObject) => void;
  readonly #subscriptions: Subscription[] = [];
  /** Tasks that have not ended, with what was told of them last. */
  readonly #open = new Map<TaskId, string | null>();
  readonly #rows = new Map<TaskId, AwaitedRow>();
  /** Progress that was heard and may not be in the row yet. */
  readonly #progress = new Map<TaskId, Progress>();
  #progressTimer: NodeJS.Timeout | null = null;

  constructor(options: {
    context: WatchContext;
    owner: PrincipalId;
    /** Called with DetailedTasks. */
    tell: (task: JsonObject) => void;
  }) {
    this.#context = options.context;
    this.#owner = options.owner;
    this.#tell = options.tell;
  }

  /**
   * Finds the tasks and listens to their messages.
   * @returns those the owner has a handle of, in the order of `ids`; others are left out without a word
   */
  async open(ids: readonly string[]): Promise<TaskId[]> {
    const found = await Promise.all([...new Set(ids)].map((id) => this.#find(id)));
    const tasks = found.filter((task) => task !== null);
    for (const { id } of tasks) this.#open.set(id, null);
    await this.#listen(tasks);
    return tasks.map(({ id }) => id);
  }

  /**
   * Tells states until all tasks have ended, each with its end, or the signal fires.
   * @throws what reading a task threw that trying again does not mend
   */
  async run(signal: AbortSignal): Promise<void> {
    const { reads } = this.#context.watch;
    if (signal.aborted || this.#open.size === 0) return;
    let stop = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        stop = resolve;
        signal.addEventListener('abort', stop);
        for (const id of this.#open.keys()) {
          const row: AwaitedRow = {
            id,
            owner: this.#owner,
            look: async (found) => {
              await this.#look(id, found);
              if (this.#open.has(id)) return;
              this.#forget(id);
              if (this.#open.size === 0) resolve();
            },
            fail: reject,
          };
          this.#rows.set(id, row);
          reads.add(row);
        }
      });
    } finally {
      signal.removeEventListener('abort', stop);
      for (const id of [...this.#rows.keys()]) this.#forget(id);
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
  async #listen(tasks: readonly Task[]): Promise<void> {
    const { watch } = this.#context;
    const asked = await Promise.allSettled(
      tasks.map((task) =>
        watch.join(taskTopic(task), { taskId: task.id }, (event) => this.#hear(task.id, event)),
      ),
    );
    for (const answer of asked) {
      if (answer.status === 'fulfilled') this.#subscriptions.push(answer.value);
    }
    const refused = asked.find((answer) => answer.status === 'rejected');
    if (refused !== undefined) throw refused.reason;
  }

  #hear(id: TaskId, event: BusEvent): void {
    if (event.kind === 'resync' || event.kind === 'changed') this.#poke(id);
    else if (event.kind === 'progress' && this.#open.has(id)) {
      const { progress, total, message } = event;
      this.#progress.set(id, { progress, total, message });
      this.#progressTimer ??= setTimeout(() => this.#tellProgress(), PROGRESS_SPACING_MS).unref();
    }
  }

  #tellProgress(): void {
    this.#progressTimer = null;
    for (const id of this.#progress.keys()) this.#poke(id);
  }

  #poke(id: TaskId): void {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#context.watch.reads.poke(row);
  }

  #forget(id: TaskId): void {
    const row = this.#rows.get(id);
    this.#rows.delete(id);
    if (row !== undefined) this.#context.watch.reads.delete(row);
  }

  /** Tells of the row unless its state is known; once it has ended or is gone it is not open any more. */
  async #look(id: TaskId, row: TaskWithOutcome | null): Promise<void> {
    if (row === null) {
      // Its ttl is over: there is nothing left to tell.
      this.#open.delete(id);
      return;
    }
    const task = await taskDetails(this.#context, this.#withProgress(row), this.#owner);
    const told = JSON.stringify(task);
    // It may have been forgotten meanwhile.
    if (!this.#rows.has(id) || this.#open.get(id) === told) return;
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
