import type {
  BusMessage,
  ClientAbilities,
  LoggedMessage,
  PrincipalId,
  Progress,
  Task,
  TaskId,
} from '@longshore/core';
import type { ServerMessage } from '@longshore/protocol';
import type { SerialWork } from './serial-work.ts';
import type { StreamPosition } from './stream-position.ts';
import { LOG_PAGE, type LogPlace, TaskLogs } from './task-logs.ts';
import { TaskNotices } from './task-notices.ts';
import { TaskQuestions } from './task-questions.ts';
import type { WatchContext } from './watch-context.ts';

/** What carriers work with. */
export type CarrierContext = Pick<WatchContext, 'tasks' | 'inputs' | 'watch' | 'settings'>;

/** A stream as its carriers see it. */
export interface CarryingStream {
  readonly position: StreamPosition;
  readonly work: SerialWork;
  readonly abilities: ClientAbilities;
  readonly send: (message: ServerMessage) => void;
}

export interface CarriedTask {
  readonly id: TaskId;
  readonly owner: PrincipalId;
  /** The client has a handle: messages name the task, and its status is told. */
  readonly listed: boolean;
  /** The progress token of its call is good, if it gave one: the call is held open, or was answered with the handle at once. */
  readonly tellsProgress: boolean;
  /** The task is of another session or era: the client is asked what nobody else is asked, and told nothing. */
  readonly guest: boolean;
}

/**
 * Everything one stream tells of one task: progress, status, logs and questions. Its methods are parts of
 * the stream's work, called one after the other.
 */
export class TaskCarrier {
  readonly #task: CarriedTask;
  readonly #send: (message: ServerMessage) => void;
  readonly #notices: TaskNotices;
  readonly #logs: TaskLogs;
  readonly #questions: TaskQuestions;

  /**
   * @param options.logs where the client is in the log
   * @param options.after the stream that the client has come back from, if any
   * @param options.mayAsk whether new questions are this stream's to send
   */
  constructor(
    context: CarrierContext,
    stream: CarryingStream,
    task: CarriedTask,
    options: { logs: LogPlace; after: string | null; mayAsk: () => boolean },
  ) {
    const relatedTo = task.listed ? task.id : null;
    this.#task = task;
    this.#send = stream.send;
    this.#notices = new TaskNotices({
      display: context.settings,
      related: task.listed,
    });
    this.#logs = new TaskLogs({
      place: options.logs,
      read: task.listed
        ? listedLogs(context, stream, task, options)
        : () => context.tasks.logs(task.id, task.owner, options.logs.cursor, LOG_PAGE),
      relatedTo,
      send: stream.send,
    });
    this.#questions = new TaskQuestions({
      ...stream,
      store: context.inputs.store,
      leases: context.watch.leases,
      task,
      relatedTo,
      hosts: stream.abilities.tasks,
      // What a job asks is asked by its tools, of a client that shows no forms.
      limitedTo: task.guest || !stream.abilities.elicitation.form ? stream.abilities : null,
      mayAsk: options.mayAsk,
    });
  }

  progress(message: Extract<BusMessage, { kind: 'progress' }>): void {
    if (this.#task.tellsProgress) this.#sendIfAny(this.#notices.progress(message));
  }

  /**
   * Says that the task is under way, to a client that waits with a progress token.
   * @param current progress as the row has it; null: not known
   */
  beat({ id, progressToken }: Task, current: Progress | null): void {
    this.#sendIfAny(this.#notices.beat(id, progressToken, current));
  }

  /** Tells of the task's state when the client does not know it, and asks what the task waits for. */
  async row(task: Task): Promise<void> {
    if (this.#task.listed && !this.#task.guest) this.#sendIfAny(this.#notices.status(task));
    await this.#questions.update(task);
  }

  /** Like `row`, for a state that the client knows from elsewhere. */
  async knownRow(task: Task): Promise<void> {
    this.#notices.assume(task);
    await this.#questions.update(task);
  }

  /** Like `row`, for questions only. */
  async questions(task: Task): Promise<void> {
    await this.#questions.update(task);
  }

  get isGuest(): boolean {
    return this.#task.guest;
  }

  /** Whether the client has questions from this stream that are not settled yet. */
  get hasQuestions(): boolean {
    return this.#questions.areOpen;
  }

  /** The client knows this state from elsewhere. */
  assume(task: Task): void {
    this.#notices.assume(task);
  }

  async logs(): Promise<void> {
    if (this.#task.guest) return;
    await this.#logs.drain();
  }

  close(): void {
    this.#questions.close();
  }

  #sendIfAny(message: ServerMessage | null): void {
    if (message !== null) this.#send(message);
  }
}

/** Log messages of a task that several streams may carry one after the other: each is given out once. */
function listedLogs(
  context: CarrierContext,
  { position }: CarryingStream,
  { id, owner }: CarriedTask,
  options: { logs: LogPlace; after: string | null },
): () => Promise<readonly LoggedMessage[]> {
  let previous = options.after;
  return async () => {
    const page = await context.tasks.takeLogs(id, owner, {
      stream: position.stream,
      previous,
      after: options.logs.cursor,
      limit: LOG_PAGE,
    });
    previous = null;
    return page;
  };
}
