import type { BusMessage, Session, Task, TaskId } from '@longshore/core';
import { RecentMap } from './recent-map.ts';
import type { SessionStreamPosition } from './stream-position.ts';
import { type CarrierContext, type CarryingStream, TaskCarrier } from './task-carrier.ts';

/** Tasks a stream remembers; of older ones it may repeat a status. */
const MAX_REMEMBERED = 10_000;

/** Something about a task that the stream may have to tell. `released`: nobody waits for it any more. */
export type TaskNews =
  | Extract<BusMessage, { kind: 'progress' | 'changed' | 'logged' }>
  | { readonly kind: 'released'; readonly taskId: TaskId };

export interface SessionTasksOptions extends CarryingStream {
  readonly position: SessionStreamPosition;
  readonly session: Session;
  /** Whether what is new about the task now is this stream's to tell. */
  readonly carries: (taskId: TaskId) => boolean;
}

/** The tasks of a session on its GET stream. Its methods are parts of the stream's work. */
export class SessionTasks {
  readonly #context: CarrierContext;
  readonly #options: SessionTasksOptions;
  readonly #carriers = new RecentMap<TaskId, TaskCarrier>(MAX_REMEMBERED, (carrier) =>
    carrier.close(),
  );
  /** Calls without a handle, whose messages come on the same topic. */
  readonly #notTasks = new RecentMap<TaskId, true>(MAX_REMEMBERED);
  #closed = false;

  constructor(context: CarrierContext, options: SessionTasksOptions) {
    this.#context = context;
    this.#options = options;
  }

  /** Whether it is known to be none of the tasks the client has a handle of. */
  isNoTask(id: TaskId): boolean {
    return this.#notTasks.has(id);
  }

  /** By now the client has a handle of it. */
  becameTask(id: TaskId): void {
    this.#notTasks.delete(id);
  }

  /** Whether the client has questions of the task from this stream that are not settled yet. */
  hasQuestions(id: TaskId): boolean {
    return this.#carriers.get(id)?.hasQuestions === true;
  }

  /** The client knows this state of the task. */
  assume(task: Task): void {
    this.#carrierOf(task).assume(task);
  }

  /** Puts the task's questions to the client, whose state it knows. */
  async ask(task: Task): Promise<void> {
    await this.#carrierOf(task).knownRow(task);
  }

  /** Looks after the questions the client has from this stream, whosever turn it is. */
  async followQuestions(id: TaskId): Promise<void> {
    const carrier = this.#carriers.get(id);
    const task = carrier === undefined ? null : await this.#find(id);
    if (task !== null) await carrier?.questions(task);
  }

  async tell(news: TaskNews): Promise<void> {
    const { taskId } = news;
    let carrier = this.#carriers.get(taskId);
    if (carrier === undefined || news.kind === 'changed' || news.kind === 'released') {
      const task = await this.#find(taskId);
      if (task === null || this.#closed) return;
      carrier ??= this.#carrierOf(task);
      if (this.#options.carries(taskId)) await this.#tellState(carrier, task, news.kind);
    }
    if (news.kind === 'progress') {
      if (this.#options.carries(taskId)) carrier.progress(news);
      // Each message is given out once, so these are not dropped should the turn have gone meanwhile.
    } else if (news.kind !== 'changed' && !this.#closed) await carrier.logs();
  }

  close(): void {
    this.#closed = true;
    this.#carriers.clear();
  }

  async #tellState(carrier: TaskCarrier, task: Task, cause: TaskNews['kind']): Promise<void> {
    // What was told by the stream that waited is no news.
    if (cause === 'released' || carrier.isGuest) await carrier.knownRow(task);
    else if (cause === 'changed') {
      this.#options.position.saw(task);
      await carrier.row(task);
      // The row may be ahead of its message, which another stream may have the turn to tell of.
    } else await carrier.questions(task);
  }

  /** Only tasks the client has a handle of, and only its own, are found. */
  async #find(id: TaskId): Promise<Task | null> {
    const task = await this.#context.tasks.find(id, this.#options.session.principalId);
    if (task === null) this.#notTasks.set(id, true);
    else this.#notTasks.delete(id);
    return task;
  }

  #carrierOf({ id, sessionId, progressToken }: Task): TaskCarrier {
    const known = this.#carriers.get(id);
    if (known !== undefined) return known;
    const { session, carries } = this.#options;
    const carrier = new TaskCarrier(
      this.#context,
      this.#options,
      {
        id,
        owner: session.principalId,
        listed: true,
        tellsProgress: progressToken !== null,
        guest: sessionId !== session.id,
      },
      { logs: { cursor: '0' }, after: null, mayAsk: () => carries(id) },
    );
    this.#carriers.set(id, carrier);
    return carrier;
  }
}
