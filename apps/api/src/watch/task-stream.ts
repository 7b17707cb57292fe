import {
  type BusEvent,
  type ClientAbilities,
  type EventCursor,
  type PrincipalId,
  type Progress,
  type SessionId,
  type Task,
  type TaskId,
  taskTopic,
} from '@longshore/core';
import type { TaskStreamPlace } from '@longshore/protocol';
import type { ResumableDelivery } from '../edge/delivery.ts';
import { giveBackQuestions } from './give-back-questions.ts';
import { readProgress } from './read-progress.ts';
import { SerialWork } from './serial-work.ts';
import { SilenceTimer } from './silence-timer.ts';
import { TaskStreamPosition } from './stream-position.ts';
import { type CarrierContext, TaskCarrier } from './task-carrier.ts';
import type { StreamTurn } from './turns.ts';

export interface TaskStreamOptions {
  readonly delivery: ResumableDelivery;
  /** `call`: the request itself is held open; `result`: a tasks/result of the task. */
  readonly kind: TaskStreamPlace['kind'];
  readonly task: {
    readonly id: TaskId;
    readonly owner: PrincipalId;
    readonly sessionId: SessionId | null;
  };
  readonly abilities: ClientAbilities;
  /** What the client came back with; null: its first connection for this request. */
  readonly resumed: TaskStreamPlace | null;
}

/**
 * The stream of one request that waits for one task: what goes before the answer. Several streams may wait
 * for a task with a handle, and take turns. A held call has one stream.
 */
export class TaskStream {
  readonly #context: CarrierContext;
  readonly #options: TaskStreamOptions;
  readonly #position: TaskStreamPosition;
  readonly #turn: StreamTurn;
  /** Whether the turn was this stream's at the event before. */
  #hadTurn: boolean;
  readonly #work: SerialWork;
  readonly #carrier: TaskCarrier;
  #silence: SilenceTimer | null = null;
  #row: Task | null = null;
  /** Whether the state the task has now is this stream's to tell. */
  #tells: boolean;
  #missedMessages = false;
  #logsDue = false;
  #closing = false;

  constructor(context: CarrierContext, options: TaskStreamOptions) {
    const { delivery, kind, task, resumed } = options;
    this.#context = context;
    this.#options = options;
    this.#tells = resumed !== null;
    this.#position = new TaskStreamPosition(
      { kind, taskId: task.id, requestId: delivery.requestId },
      resumed,
    );
    this.#turn = context.watch.turn(taskTopic(task), {
      taskId: task.id,
      stream: this.#position.stream,
      isSole: kind === 'call',
      superseded: () => delivery.supersede(),
    });
    this.#hadTurn = this.#turn.mine;
    this.#work = new SerialWork(delivery.log);
    this.#carrier = new TaskCarrier(
      context,
      {
        position: this.#position,
        work: this.#work,
        abilities: options.abilities,
        send: (message) => delivery.notify(message),
      },
      {
        id: task.id,
        owner: task.owner,
        listed: kind === 'result',
        tellsProgress: true,
        guest: false,
      },
      {
        logs: this.#position,
        after: resumed?.stream ?? null,
        mayAsk: () => this.#turn.mine,
      },
    );
  }

  /** Questions that the client has from this stream and that are not settled. */
  get asked(): readonly EventCursor[] {
    return this.#position.asked;
  }

  /** The client knows this state of the task from elsewhere. */
  assume(task: Task): void {
    this.#carrier.assume(task);
  }

  /** Opens the stream to the client. The task must be committed: its id is in the first event. */
  hold(): void {
    this.#options.delivery.hold(this.#position);
  }

  /** To be called once the task's messages are heard. */
  async open(): Promise<void> {
    const { resumed } = this.#options;
    // The connection the client had may still look alive: take from it what it holds.
    if (resumed !== null) await this.#context.inputs.store.unlease(resumed.stream);
    await this.#turn.open(resumed?.stream ?? null);
    if (this.#closing) return;
    if (resumed !== null) this.#logsAreDue();
  }

  /** To be called with each event about the task, in order. */
  hear(event: BusEvent): void {
    if (this.#closing) return;
    const had = this.#hadTurn;
    this.#hadTurn = this.#turn.mine;
    if (this.#hadTurn && !had) this.#takeOver();
    if (event.kind === 'resync') {
      this.#missedMessages = true;
      this.#logsAreDue();
    } else if ('taskId' in event && event.taskId === this.#options.task.id) {
      // A stream that ended may have given back questions.
      if (event.kind === 'stream-close') this.#askAgain();
      // Everybody sees the same stream have the turn at this message: it is the one that tells.
      else if (event.kind === 'changed') this.#tells = this.#turn.mine;
      else if (event.kind === 'logged' && this.#turn.mine) this.#logsAreDue();
      else if (event.kind === 'progress' && this.#turn.mine && !this.#work.isCrowded) {
        this.#silence?.heard();
        this.#work.add(() => this.#carrier.progress(event));
      }
    }
  }

  /** To be called with each state of the row that was read, in order. */
  row(task: Task): void {
    const tells = this.#tells;
    this.#row = task;
    if (task.progressToken !== null && !this.#closing) {
      this.#silence ??= new SilenceTimer(
        this.#context.settings.progressIntervalMs,
        () => this.#current(),
        (current) => this.#beat(current),
      );
    }
    this.#work.add(() => (tells ? this.#carrier.row(task) : this.#carrier.knownRow(task)));
  }

  /** Sends what belongs before the answer. To be called when the row has ended. */
  async finish(): Promise<void> {
    this.#logsAreDue();
    await this.#work.done();
  }

  /** Gives back what it holds. Nothing is sent any more. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#silence?.stop();
    this.#carrier.close();
    await this.#work.done();
    if (this.#carrier.hasQuestions) {
      await giveBackQuestions(
        this.#context.inputs.store,
        this.#position.stream,
        this.#options.delivery.log,
      );
    }
    await this.#turn.close();
  }

  /** The turn has come to this stream: it goes on where the others are. */
  #takeOver(): void {
    if (this.#missedMessages) {
      this.#missedMessages = false;
      this.#tells = true;
      if (this.#row !== null) this.row(this.#row);
    }
    this.#askAgain();
    this.#logsAreDue();
  }

  #current(): Promise<Progress | null> {
    const token = this.#turn.mine ? (this.#row?.progressToken ?? null) : null;
    return readProgress(this.#context.tasks, this.#options.task, token);
  }

  #beat(current: Progress | null): void {
    this.#work.add(() => {
      if (this.#row === null || !this.#turn.mine || this.#closing) return;
      this.#carrier.beat(this.#row, current);
    });
  }

  #askAgain(): void {
    this.#work.add(async () => {
      if (this.#row !== null && this.#turn.mine) await this.#carrier.questions(this.#row);
    });
  }

  #logsAreDue(): void {
    if (this.#logsDue) return;
    this.#logsDue = true;
    this.#work.add(async () => {
      this.#logsDue = false;
      if (!this.#closing) await this.#carrier.logs();
    });
  }
}
